/** Where the address and the key of a provider are looked for. */

import type { Settings } from '@castor/core/program';
import type { ProviderSources } from './configure-provider.ts';
import type { KeyPlaces } from './find-key.ts';

export interface ProviderPlaces extends ProviderSources, KeyPlaces {
  settings: Pick<Settings, 'security' | 'providers' | 'castor' | 'model'>;
}
