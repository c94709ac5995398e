#ifndef GPUEVENT_STUB_WCHAR_H
#define GPUEVENT_STUB_WCHAR_H
#include <stddef.h>
#endif
