import { copy } from '../state/announce.ts'
import { addresses, go } from '../state/addresses.ts'
import type { KeyBindings } from '../state/keys.ts'
import { useKeys } from '../state/keys.ts'
import { overlay } from '../state/overlay.ts'
import { places } from './place-table.ts'

/** The keys that work everywhere. */
export function usePageKeys(): void {
  useKeys(pageKeys)
}

const pageKeys: KeyBindings = {
  'Ctrl+k': { does: 'Find or run', run: () => (overlay.value = 'palette') },
  '?': { does: 'Keys', run: () => (overlay.value = 'keys') },
  y: { does: 'Copy the link to this view', run: () => void copy(location.href, 'Link copied') },
  n: { does: 'New conversation', run: () => go(addresses.conversation('new')) },
  ...Object.fromEntries(
    places.map(({ letter, name, to }) => [`g ${letter}`, { does: name, run: () => open(to) }]),
  ),
}

/** Keys leave the focus on what they left; the new place gets it. */
function open(to: string): void {
  go(to)
  document.querySelector<HTMLElement>('main')?.focus()
}
