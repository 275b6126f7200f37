import { signal } from '@preact/signals'

/** What lies over the page: the palette or the list of keys. */
export const overlay = signal<'palette' | 'keys' | undefined>(undefined)
