import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { singleKeys } from './settings.ts'

/** A key of a place: `r`, `Ctrl+Enter`, `Escape`, `g s`. `Ctrl` is also ⌘. */
export interface KeyBinding {
  readonly does: string
  readonly run: (event: KeyboardEvent) => void
  /** Works while a text is typed too. Keys with Ctrl always do. */
  readonly whileTyping?: true
  readonly isOff?: boolean
}

export type KeyBindings = Readonly<Record<string, KeyBinding>>

/** The keys of all that is mounted; the last one wins. Keys of a dialog hide all others. */
export const keyLayers = signal<readonly { readonly bindings: KeyBindings; readonly isDialog: boolean }[]>([])

/** Keys while a component is mounted; `?` lists them. */
export function useKeys(bindings: KeyBindings, { isDialog = false } = {}): void {
  const current = useRef(bindings)
  current.current = bindings
  const names = Object.keys(bindings).join('\n')
  // Before it is painted: a person who sees a form can press its keys, however slow the machine is.
  useLayoutEffect(() => {
    const layer = {
      isDialog,
      get bindings() {
        return current.current
      },
    }
    keyLayers.value = [...keyLayers.peek(), layer]
    return () => {
      keyLayers.value = keyLayers.peek().filter((each) => each !== layer)
    }
  }, [names, isDialog])
}

/** What a key event is called in bindings. */
export function nameOf(event: KeyboardEvent): string {
  const key = event.key === ' ' ? 'Space' : event.key
  const isLetter = key.length === 1
  const shift = event.shiftKey && !isLetter ? 'Shift+' : ''
  return `${event.ctrlKey || event.metaKey ? 'Ctrl+' : ''}${event.altKey ? 'Alt+' : ''}${shift}${isLetter && event.ctrlKey ? key.toLowerCase() : key}`
}

/** How long the second key of `g s` may take. */
const sequenceMs = 1_200

export function listenToKeys(): void {
  let first: { readonly key: string; readonly at: number } | undefined
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return
    const key = nameOf(event)
    const before = first && event.timeStamp - first.at < sequenceMs ? `${first.key} ${key}` : undefined
    first = undefined
    const binding = (before !== undefined && find(before)) || find(key)
    if (binding && isAllowed(key, binding)) {
      event.preventDefault()
      binding.run(event)
    } else if (isBeginning(key) && !isTyping(event.target) && singleKeys.value === 'on')
      first = { key, at: event.timeStamp }

    function isAllowed(name: string, found: KeyBinding): boolean {
      const isSingle = name.length === 1
      if (isSingle && singleKeys.value === 'off') return false
      return name.startsWith('Ctrl+') || found.whileTyping === true || !isTyping(event.target)
    }
  })
}

function find(name: string): KeyBinding | undefined {
  const layers = keyLayers.peek()
  const from = layers.findLastIndex((layer) => layer.isDialog)
  const seen = from < 0 ? layers : layers.slice(from)
  return seen.findLast(({ bindings }) => bindings[name] && !bindings[name].isOff)?.bindings[name]
}

function isBeginning(key: string): boolean {
  return keyLayers
    .peek()
    .some(({ bindings }) => Object.keys(bindings).some((name) => name.startsWith(`${key} `)))
}

/** Whether keys are letters of a text. A check box takes no letters. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type)
  return target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName)
}
