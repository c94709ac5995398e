#ifndef GPUEVENT_STUB_STDNORETURN_H
#define GPUEVENT_STUB_STDNORETURN_H
#define noreturn _Noreturn
#endif
