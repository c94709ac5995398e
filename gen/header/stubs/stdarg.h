#ifndef GPUEVENT_STUB_STDARG_H
#define GPUEVENT_STUB_STDARG_H
typedef __builtin_va_list va_list;
#endif
