/* What a program finds on the machine, and what it may ask for (retrosim guide programs). */

#ifndef RETROSIM_H
#define RETROSIM_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef short s16;
typedef int s32;

enum { SCREEN_WIDTH = 640, SCREEN_HEIGHT = 480 };
enum { PAD_LEFT = 1, PAD_RIGHT = 2, PAD_UP = 4, PAD_DOWN = 8, PAD_FIRE = 16 };

#define SCREEN ((volatile u8 *)0x800000)  /* a byte for each pixel, row after row */
#define PALETTE ((volatile u32 *)0xF00000) /* 256 colours, 0x00RRGGBB */
#define PAD (*(volatile u32 *)0xF00400)   /* PAD_LEFT ... */

/* Services of the machine, in start.s. */
void yield_frame(void);                           /* ends the frame: waits for the next tick */
u32 microseconds(void);                           /* time since power-on */
void exit_program(int status);                    /* so does returning from main */
void write_text(const char *text, u32 length);    /* writes on the screen */

#endif
