import { showArguments } from './argument-text.ts'

/** All arguments of a call, each complete and wrapped: nothing scrolls sideways out of sight. */
export function ArgumentList({ args }: { readonly args: unknown }) {
  const shown = showArguments(args)
  if (shown.length === 0) return <p class="arguments dim">no arguments</p>
  return (
    <dl class="arguments" tabIndex={0} aria-label="Arguments">
      {shown.map(({ name, text, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span class="argument-text">{text}</span>
            {note !== undefined && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
