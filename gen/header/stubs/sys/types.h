#ifndef GPUEVENT_STUB_SYS_TYPES_H
#define GPUEVENT_STUB_SYS_TYPES_H
#include <stddef.h>
#include <stdint.h>
typedef __PTRDIFF_TYPE__ ssize_t;
#endif
