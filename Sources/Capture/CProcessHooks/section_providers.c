// The table of section providers: written once a place, read in handlers.

#include "section_providers.h"

#include <errno.h>
#include <stdatomic.h>

static const crv_section_provider *_Atomic providers[CPH_SECTION_PROVIDERS];

int cph_add_section_provider(const crv_section_provider *provider) {
  for (int i = 0; i < CPH_SECTION_PROVIDERS; ++i) {
    const crv_section_provider *none = NULL;
    if (atomic_compare_exchange_strong(&providers[i], &none, provider) || none == provider) return 0;
  }
  return ENOMEM;
}

const crv_section_provider *cph_section_provider_at(int index) {
  if (index < 0 || index >= CPH_SECTION_PROVIDERS) return NULL;
  return atomic_load_explicit(&providers[index], memory_order_acquire);
}
