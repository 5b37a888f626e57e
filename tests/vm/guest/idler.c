// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps a CPU from being idle. Where the clock counts instructions, time passes by those that the emulator runs
 * fastest: a block of these takes it no longer than a single one.
 */
int main(void)
{
	for (;;)
		__asm__ volatile(".rept 100; nop; .endr");
}
