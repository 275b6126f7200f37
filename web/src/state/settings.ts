import { effect, signal } from '@preact/signals'
import type { Signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

/** Settings of this browser, the same in all tabs. */
export const theme = kept<Theme>('plugboard.theme', ['system', 'light', 'dark'])
/** Keys without Ctrl: they can be switched off, for people who talk to their computer (WCAG 2.1.4). */
export const singleKeys = kept<'on' | 'off'>('plugboard.single-keys', ['on', 'off'])
/** The address of the place that was open last. */
export const lastPlace = kept<string>('plugboard.last-place')

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme.value
})

/** A signal that localStorage keeps. The first of `values` is the default; others than these are not believed. */
function kept<T extends string>(key: string, values?: readonly [T, ...T[]]): Signal<T> {
  const read = (): T => {
    const stored = localStorage.getItem(key) as T | null // checked below, where there is a list
    const isKnown = stored !== null && (!values || values.includes(stored))
    return isKnown ? stored : (values?.[0] ?? ('' as T))
  }
  const value = signal(read())
  effect(() => localStorage.setItem(key, value.value))
  addEventListener('storage', (event) => {
    if (event.key === key) value.value = read()
  })
  return value
}
