import { removeHidden } from '../../model/hidden.ts'
import type { Surface } from './surfaces.ts'

/** A text as it was sent. */
export interface RawText {
  readonly surface: Surface
  readonly text: string
  /** Without hidden characters. */
  readonly visible: string
  /** The kinds of hidden characters that the text around them does not need. */
  readonly hidden: readonly string[]
}

export function toRawText(surface: Surface): RawText {
  const { text, removed } = removeHidden(surface.text)
  return { surface, text: surface.text, visible: text, hidden: removed }
}
