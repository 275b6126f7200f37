import type { ComponentChildren } from 'preact'
import type { FileDifference } from '../../../src/client.ts'

export interface CodeLine {
  readonly number?: number
  readonly text: string
  readonly kind?: 'same' | 'added' | 'removed' | 'marked'
  /** Stands below the line: a problem of it. */
  readonly note?: ComponentChildren
}

export interface CodeLinesProps {
  readonly label: string
  readonly lines: readonly CodeLine[]
  readonly isWrapped?: boolean
}

const signs = { added: '+ ', removed: '- ' } as const

/** Text as it stands in a file, with line numbers, and notes at their lines. */
export function CodeLines({ label, lines, isWrapped = false }: CodeLinesProps) {
  return (
    <div class={`code${isWrapped ? ' is-wrapped' : ''}`} role="group" aria-label={label} tabIndex={0}>
      {lines.map(({ number, text, kind = 'same', note }, index) => (
        <div key={index}>
          <div class={`code-line is-${kind}`}>
            <span class="code-number">{number}</span>
            <span class="code-text">
              {kind === 'added' || kind === 'removed' ? signs[kind] : ''}
              {text === '' ? '\u00a0' : text}
            </span>
          </div>
          {note && <div class="code-note">{note}</div>}
        </div>
      ))}
    </div>
  )
}

/** Changes of files, before or after they are written. */
export function DiffView({ differences }: { readonly differences: readonly FileDifference[] }) {
  return (
    <>
      {differences.map(({ file, shown, isNew, hunks }) => (
        <div key={file} class="frame">
          <div class="diff-file">
            {shown}
            {isNew ? ' (new file)' : ''}
          </div>
          {hunks.map((hunk, index) => (
            <div key={index} class="diff-hunk">
              <CodeLines label={`Changes of ${shown}`} lines={numbered(hunk)} isWrapped />
            </div>
          ))}
        </div>
      ))}
    </>
  )
}

/** Removed lines have the number before the change, all others the one after it. */
function numbered({ before, after, lines }: FileDifference['hunks'][number]): readonly CodeLine[] {
  let [old, next] = [before, after]
  return lines.map(({ kind, text }) => {
    const number = kind === 'removed' ? old : next
    if (kind !== 'added') old++
    if (kind !== 'removed') next++
    // As wide as the signs of the others.
    return { number, kind, text: kind === 'same' ? `  ${text}` : text }
  })
}
