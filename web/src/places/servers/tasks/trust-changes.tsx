import type { TrustFacts } from '../../../../../src/client.ts'

interface TrustChangesProps {
  readonly changes: TrustFacts['changes']
  /** What changed beside the entry. */
  readonly notes: readonly string[]
  readonly trustedAt: string
}

/** What is other than at the time of the last trust: the old value, then the new one. */
export function TrustChanges({ changes, notes, trustedAt }: TrustChangesProps) {
  return (
    <figure class="server-figure">
      <figcaption>Changed since you trusted it on {trustedAt}</figcaption>
      <dl class="trust-changes">
        {changes.map(({ pointer, before, after }) => (
          <div key={pointer}>
            <dt class="mono">{pointer}</dt>
            {before !== null && (
              <dd class="mono">
                <del>{before}</del>
              </dd>
            )}
            {after !== null && (
              <dd class="mono">
                <ins>{after}</ins>
              </dd>
            )}
          </div>
        ))}
      </dl>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </figure>
  )
}
