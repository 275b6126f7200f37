import type { ComponentChildren } from 'preact'
import type { StateFacts } from '../../../src/client.ts'

export type Tone = StateFacts['tone']
export type Shape = StateFacts['shape']

/** The shape alone, colored by the text around it. */
export function ShapeMark({ shape }: { readonly shape: Shape }) {
  return <i class={`shape shape-${shape}`} aria-hidden="true" />
}

export interface StateMarkProps {
  /** StateFacts of a server, or anything with a tone and a word; without a shape one that fits the tone. */
  readonly state: { readonly tone: Tone; readonly word: string; readonly shape?: Shape }
  readonly children?: ComponentChildren
}

/** A state by shape, color and word, never by color alone. */
export function StateMark({ state: { tone, word, shape }, children }: StateMarkProps) {
  return (
    <span class={`state tone-${tone}`}>
      <ShapeMark shape={shape ?? shapes[tone]} />
      {word}
      {children}
    </span>
  )
}

/** For calls and conversations, whose states have no shape of their own. */
const shapes: Readonly<Record<Tone, Shape>> = {
  ok: 'dot',
  dim: 'ring',
  warn: 'ring',
  bad: 'triangle',
  ask: 'square',
}
