import { effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { questions } from './page-state.ts'

const icon = new URL('../style/icon.svg', import.meta.url).href
const waitingIcon = new URL('../style/icon-waiting.svg', import.meta.url).href

const title = signal('')

/** Names the tab: `(2) github · Servers · Plugboard`, with the number of questions that wait. */
export function usePageTitle(...parts: readonly string[]): void {
  const text = parts.join(' · ')
  useEffect(() => void (title.value = text), [text])
}

/** Keeps the title and the icon of the tab true. */
export function showWaitingInTab(): void {
  effect(() => {
    const count = questions.value.length
    document.title = `${count > 0 ? `(${count}) ` : ''}${title.value ? `${title.value} · ` : ''}Plugboard`
  })
  effect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (link) link.href = questions.value.length > 0 ? waitingIcon : icon
  })
}
