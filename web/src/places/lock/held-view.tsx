import { useState } from 'preact/hooks'
import type { DefinitionChange, HeldFacts, RemovedFacts } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { CodeDialog } from '../../parts/code-dialog.tsx'
import { CommandText } from '../../parts/copy-button.tsx'
import { FindingList } from '../../parts/finding-list.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { ShapeMark } from '../../parts/state-mark.tsx'
import { announce } from '../../state/announce.ts'
import { addresses, go } from '../../state/addresses.ts'
import { useAction } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { usePageTitle } from '../../state/page-title.ts'

interface HeldViewProps {
  readonly held: HeldFacts | RemovedFacts
  readonly onDone: () => Promise<void>
}

/** One definition that is held, or that its server no longer offers: why, what changed, what the scanner found, and the decision. */
export function HeldView({ held, onDone }: HeldViewProps) {
  const { title, server, kind, hash, why, difference } = held
  const gone = !('reason' in held)
  const { accepted, canAccept, isWaiting, findings, commands } =
    'reason' in held ? held : { ...noDecision, commands: { accept: held.commands.forget, reject: '' } }
  const [isAsking, setAsking] = useState(false)
  usePageTitle(title, 'Lock')
  const subject = { server, kind, hash }
  const leave = async (said: string) => {
    announce(said)
    go(addresses.lock)
    await onDone()
  }
  const reject = useAction(async () => {
    await send('POST /api/lock/reject', { body: subject })
    await leave(`${title} is rejected.`)
  })
  const { changes, more = 0 } = difference
  return (
    <article class="held">
      <h1 class="mono">{title}</h1>
      <p>{why}</p>
      <ErrorLine error={reject.error} />
      {findings.length > 0 && (
        <section>
          <h2>Scanner</h2>
          <FindingList findings={findings} />
        </section>
      )}
      <section>
        <h2>{accepted ? 'What changed' : 'Definition'}</h2>
        {changes.length === 0 && <p class="dim">Its definition is the accepted one.</p>}
        <dl class="held-changes">
          {changes.map((change, index) => (
            <Change key={index} change={change} />
          ))}
        </dl>
        {more > 0 && <p>{more} more changes are not shown: see plugboard review --json.</p>}
      </section>
      <div class="buttons">
        {canAccept && (
          <Button kind="primary" command={commands.accept} onPress={() => setAsking(true)}>
            {gone ? 'Forget…' : 'Accept…'}
          </Button>
        )}
        {isWaiting && (
          <Button kind="danger" command={commands.reject} action={reject}>
            Reject
          </Button>
        )}
      </div>
      <p class="dim">
        {canAccept
          ? 'The terminal of serve shows a code for exactly this definition. Or there: '
          : 'In a terminal: '}
        <CommandText command={canAccept ? commands.accept : `plugboard review ${server}`} />
      </p>
      {isAsking && (
        <CodeDialog
          subject={{ for: 'accept', subject: server, about: { kind, hash } }}
          says={`Type it to ${gone ? 'forget' : 'accept'} ${title} exactly as shown.`}
          label={gone ? 'Forget' : 'Accept'}
          onClose={() => setAsking(false)}
          onCode={async (typed) => {
            await send('POST /api/lock/accept', { body: { ...subject, ...typed } })
            await leave(`${title} is ${gone ? 'forgotten' : 'accepted'}.`)
          }}
        />
      )}
    </article>
  )
}

/** What was removed can only be forgotten. */
const noDecision = { accepted: undefined, canAccept: true, isWaiting: false, findings: [] }

const parts: Readonly<Record<DefinitionChange['part'], string>> = {
  annotations: 'annotation',
  text: '',
  input: 'argument',
  output: 'result',
  other: '',
}

function Change({ change }: { readonly change: DefinitionChange }) {
  const { part, path, kind, isLoosened, before, after, pieces, left = 0 } = change
  return (
    <div>
      <dt class={isLoosened ? 'is-loosened' : ''}>
        {isLoosened && <ShapeMark shape="triangle" />} <span class="dim">{parts[part]}</span>{' '}
        <span class="mono">{path}</span> <span class="dim">{isLoosened ? 'loosened' : kind}</span>
      </dt>
      {pieces ? (
        <dd class="held-text">
          {pieces.map(({ kind: of, text }, index) =>
            of === 'same' ? (
              text
            ) : of === 'added' ? (
              <ins key={index}>{text}</ins>
            ) : (
              <del key={index}>{text}</del>
            ),
          )}
          {left > 0 && <p class="dim">{left} more characters are not shown.</p>}
        </dd>
      ) : (
        <>
          {before !== undefined && (
            <dd class="mono">
              <del>{before}</del>
            </dd>
          )}
          {after !== undefined && (
            <dd class="mono">
              <ins>{after}</ins>
            </dd>
          )}
        </>
      )}
    </div>
  )
}
