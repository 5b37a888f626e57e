# SPDX-License-Identifier: GPL-2.0
# make               build/iostrata           make V=1      show the commands
# make check         all tests (needs root)   make SAN=1    with ASan and UBSan (own folder)
# make install       DESTDIR= PREFIX=         make STATIC=1 a binary for machines without libbpf and jansson
# make FAULT=1       drops every 1000th completion on purpose (own folder): tests that losses are named; there the
#                    variable IOSTRATA_TABLE_SETS=N gives the probes' tables N sets, which may be far too few
.DELETE_ON_ERROR:
.SUFFIXES:

PREFIX  ?= /usr/local
ifeq ($(origin CC),default)
CC      := gcc
endif
CLANG   ?= clang
BPFTOOL ?= $(shell tools/find-bpftool)
PYTHON  ?= /usr/bin/python3
PKG_CONFIG ?= pkg-config

variant := $(if $(SAN),-san)$(if $(FAULT),-fault)$(if $(STATIC),-static)
B       := build$(if $(variant),/variant$(variant))

libraries := libbpf jansson mount blkid libelf zlib

CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes -Wformat=2 \
	-D_GNU_SOURCE $(if $(FAULT),-DIOSTRATA_FAULT) -Iinclude -Iuser -I$B $(shell $(PKG_CONFIG) --cflags $(libraries))
ifdef SAN
override CFLAGS += -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
override LDFLAGS += -fsanitize=address,undefined
endif
ifdef STATIC
# What a machine may lack is linked in; libc, libmount and libblkid are on every Linux with util-linux (and Debian has no
# libmount.a).
LIBS := -Wl,-Bstatic $(shell $(PKG_CONFIG) --libs --static libbpf jansson libelf zlib) \
	-Wl,-Bdynamic $(shell $(PKG_CONFIG) --libs mount blkid) -lm
else
LIBS := $(shell $(PKG_CONFIG) --libs $(libraries)) -lm
endif

arch := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
# The target's own include folder holds asm/types.h, which linux/bpf.h needs and clang -target bpf does not look into.
# BPF_PROG hands every program its context, wanted or not.
BPF_CFLAGS := -O2 -g -target bpf -mcpu=v3 -ffreestanding -Wall -Wextra -Wno-unused-parameter -Werror -D__TARGET_ARCH_$(arch) -Iinclude \
	-idirafter /usr/include/$(shell uname -m)-linux-gnu $(if $(FAULT),-DIOSTRATA_FAULT)

# The linker of bpftool 7.1 loses a map that is used before the file that defines it: maps.bpf.c comes first.
bpf_objects  := $(patsubst bpf/%.bpf.c,$B/bpf/%.bpf.o,bpf/maps.bpf.c \
	$(sort $(filter-out bpf/maps.bpf.c,$(wildcard bpf/*.bpf.c))))
user_objects := $(patsubst user/%.c,$B/user/%.o,$(sort $(wildcard user/*.c user/*/*.c)))
library      := $(filter-out $B/user/main.o,$(user_objects))
unit_tests   := $(patsubst tests/unit/%.c,$B/tests/%,$(sort $(wildcard tests/unit/test_*.c)))

ifdef V
say :=
Q   :=
else
say = @printf '  %-8s %s\n' '$(1)' '$(patsubst $B/%,%,$@)';
Q   := @
endif

.PHONY: all install check check-unit check-e2e check-vm fault clean
all: $B/iostrata

$B/iostrata: $(user_objects)
	$(call say,LINK)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

$B/user/%.o: user/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# Only trace/ may know the skeleton, so only it waits for it.
$(filter $B/user/trace/%,$(user_objects)): $B/iostrata.skel.h
$B/user/trace/%.o: override CFLAGS += -isystem $B
$(filter $B/user/command/% $B/user/main.o,$(user_objects)): $B/version.h

$B/bpf/%.bpf.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<

$B/iostrata.bpf.o: $(bpf_objects)
	$(call say,BPFLINK)$(BPFTOOL) gen object $@ $^

$B/iostrata.skel.h: $B/iostrata.bpf.o
	$(call say,SKEL)$(BPFTOOL) gen skeleton $< name iostrata_bpf > $@

# Rewritten only when it changes, so that a commit does not rebuild everything.
$B/version.h: FORCE
	@mkdir -p $(@D)
	@printf '#define IOSTRATA_VERSION "%s"\n' "$$(tools/version)" > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
FORCE:

# What tools/cost and tests/vm compare with.
$B/empty: tools/empty/empty.c $B/empty.bpf.o $B/empty_calls.bpf.o
	$(call say,CC)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIBS)

$B/empty.bpf.o $B/empty_calls.bpf.o: $B/%.bpf.o: tools/empty/%.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF)$(CLANG) $(BPF_CFLAGS) -c -o $@ $<

$B/tests/%: tests/unit/%.c $(library)
	@mkdir -p $(@D)
	$(call say,TEST)$(CC) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(library) $(LIBS) -lcmocka

check-unit: $(unit_tests)
	@tests/run-unit $^

check-e2e: all
	@$(PYTHON) -B -m pytest -p no:cacheprovider -q -rs tests/end-to-end

# The end-to-end tests look at the build with a fault too.
fault:
	@$(MAKE) --no-print-directory FAULT=1 all

check: check-unit fault check-e2e

# In virtual machines with other kernels; not a part of check.
check-vm: all
	@tests/vm/run

install: all
	install -D -m 755 $B/iostrata $(DESTDIR)$(PREFIX)/bin/iostrata
	install -D -m 644 man/iostrata.1 $(DESTDIR)$(PREFIX)/share/man/man1/iostrata.1
	install -D -m 644 completion/iostrata.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/iostrata

clean:
	rm -rf build

-include $(patsubst %.o,%.d,$(user_objects) $(bpf_objects)) $(addsuffix .d,$(unit_tests))
