import { signal } from '@preact/signals'

/** A sentence that a screen reader says and the bottom bar shows for a moment: `Link copied`. */
export const announcement = signal('')

let timer: ReturnType<typeof setTimeout> | undefined

export function announce(sentence: string): void {
  announcement.value = sentence
  clearTimeout(timer)
  timer = setTimeout(() => (announcement.value = ''), 4_000)
}

export async function copy(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    announce(what)
  } catch {
    announce('The browser did not allow copying.')
  }
}
