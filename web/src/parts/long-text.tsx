import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { CutText } from './result-text.ts'

/** A text with its beginning and end; `whole` or a link shows what is between. */
export function LongText({
  head,
  hidden,
  tail,
  whole,
  actions,
}: CutText & { readonly whole?: string; readonly actions?: ComponentChildren }) {
  const [isWhole, setWhole] = useState(false)
  if (!hidden || (isWhole && whole !== undefined)) return <pre class="text">{isWhole ? whole : head}</pre>
  const characters = `${hidden.characters.toLocaleString('en')} ${hidden.lines > 0 ? '' : 'more '}characters`
  const lines = hidden.lines > 0 ? `${hidden.lines.toLocaleString('en')} more lines, ` : ''
  return (
    <>
      <pre class="text">{head}</pre>
      <p class="text-cut">
        <span class="dim">
          … {lines}
          {characters}
        </span>
        {whole !== undefined && !actions && (
          <button type="button" class="button is-plain" onClick={() => setWhole(true)}>
            Show all
          </button>
        )}
        {actions}
      </p>
      <pre class="text">{tail}</pre>
    </>
  )
}
