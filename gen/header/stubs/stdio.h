#ifndef GPUEVENT_STUB_STDIO_H
#define GPUEVENT_STUB_STDIO_H
#include <stddef.h>
typedef struct _IO_FILE FILE;
#endif
