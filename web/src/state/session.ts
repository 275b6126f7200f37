import { signal } from '@preact/signals'

const storageKey = 'plugboard.token'

/** The token of the address that `plugboard serve` printed. Absent: this tab was opened without it. */
export const token = signal<string | undefined>(sessionStorage.getItem(storageKey) ?? undefined)

export function setToken(value: string): void {
  sessionStorage.setItem(storageKey, value)
  token.value = value
}

/** `#k=…` of an address: a fragment is in no request, log or Referer. */
export function tokenOf(fragment: string): string | undefined {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('k') || undefined
}

/**
 * A link that is opened in a new tab, by the middle button or with Ctrl, takes the token along in its fragment; the new
 * tab takes it out of its address at once.
 */
export function giveTokenToNewTabs(): void {
  const give = (event: MouseEvent): void => {
    const isNewTab = event.button === 1 || (event.button === 0 && (event.ctrlKey || event.metaKey))
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const { value } = token
    if (!isNewTab || !link || value === undefined) return
    if (link.origin !== location.origin || link.target !== '' || link.hash !== '') return
    const before = link.getAttribute('href')
    link.hash = `k=${value}`
    // The browser has read the address when this runs.
    setTimeout(() => before !== null && link.setAttribute('href', before))
  }
  addEventListener('click', give, { capture: true })
  addEventListener('auxclick', give, { capture: true })
}

/** Takes the token out of the address bar and the history, now and whenever a new address is pasted into this tab. */
export function takeTokenFromAddress(): void {
  const found = tokenOf(location.hash)
  if (found === undefined) return
  history.replaceState(history.state, '', location.pathname + location.search)
  setToken(found)
}
