#ifndef GPUEVENT_STUB_STDIO_H
#define GPUEVENT_STUB_STDIO_H
#include <stddef.h>
typedef struct gpuevent_stub_file FILE;
#endif
