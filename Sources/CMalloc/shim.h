// glibc keeps these out of the headers that Swift sees.
#include <malloc.h>
