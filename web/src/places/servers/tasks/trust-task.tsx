import { useState } from 'preact/hooks'
import type { ServerRow, TrustFacts } from '../../../../../src/client.ts'
import { Button } from '../../../parts/button.tsx'
import { CodeDialog } from '../../../parts/code-dialog.tsx'
import { CommandText } from '../../../parts/copy-button.tsx'
import { ErrorLine, Loading } from '../../../parts/messages.tsx'
import { ShapeMark } from '../../../parts/state-mark.tsx'
import { addresses, go } from '../../../state/addresses.ts'
import { announce } from '../../../state/announce.ts'
import { useAnswer } from '../../../state/answers.ts'
import { send } from '../../../state/client.ts'
import { TrustChanges } from './trust-changes.tsx'

/** Everything that would run, complete; then the code of the terminal. The page cannot trust without it. */
export function TrustTask({ server: { name } }: { readonly server: ServerRow }) {
  const [isAsking, setAsking] = useState(false)
  const {
    value: facts,
    error,
    reload,
  } = useAnswer(
    'GET /api/servers/:server/trust',
    { params: { server: name } },
    { on: ['server.changed', 'config.changed'] },
  )
  if (!facts) return error ? <ErrorLine error={error} /> : <Loading what="Reading the declaration" />
  const isTrusted = facts.state === 'trusted'
  return (
    <>
      <h2>{titles[facts.state](name)}</h2>
      <ErrorLine error={error} />
      <TrustRequest facts={facts} />
      <div class="buttons">
        {!isTrusted && (
          <Button kind="primary" command={`plugboard trust ${name}`} onPress={() => setAsking(true)}>
            Trust…
          </Button>
        )}
        <Button to={addresses.server(name)}>{isTrusted ? 'Back' : 'Not now'}</Button>
      </div>
      {!isTrusted && (
        <p class="dim">
          The terminal of serve shows a code for exactly this. Or there:{' '}
          <CommandText command={`plugboard trust ${name}`} />
        </p>
      )}
      {isAsking && (
        <CodeDialog
          // Another declaration needs another code: what was shown is what is trusted.
          key={facts.hash}
          subject={{ for: 'trust', subject: name, about: facts.hash }}
          says={`Type it to trust ${name} exactly as shown.`}
          label="Trust"
          onClose={() => {
            setAsking(false)
            void reload()
          }}
          onCode={async (typed) => {
            const body = { hash: facts.hash, ...typed }
            await send('POST /api/servers/:server/trust', { params: { server: name }, body })
            announce(`${name} is trusted.`)
            go(addresses.server(name))
          }}
        />
      )}
    </>
  )
}

const titles: Readonly<Record<TrustFacts['state'], (name: string) => string>> = {
  trusted: (name) => `${name} is trusted exactly as shown`,
  pending: (name) => `Trust ${name}?`,
  changed: (name) => `${name} changed since you trusted it`,
}

function TrustRequest({ facts }: { readonly facts: TrustFacts }) {
  const { declared, command = [], lines, entries, changes, changeNotes, trustedAt } = facts
  return (
    <>
      <p>
        Declared by this project in{' '}
        <a class="mono" href={addresses.configFile(declared.file, declared.line)}>
          {declared.shown}
        </a>
      </p>
      {trustedAt !== undefined && (
        <TrustChanges changes={changes} notes={changeNotes} trustedAt={trustedAt} />
      )}
      {command.length > 0 && (
        <figure class="server-figure">
          <figcaption>It would run, word by word</figcaption>
          <ol class="words">
            {command.map((word, index) => (
              <li key={index}>
                <code>{word}</code>
              </li>
            ))}
          </ol>
        </figure>
      )}
      <ul class="trust-lines">
        {lines.map(({ text, isWarning }, index) => (
          <li key={index} class={isWarning ? 'is-warning' : ''}>
            {isWarning && <ShapeMark shape="triangle" />}
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {entries.map(({ declared: place, lines: entry }) => (
        <figure class="server-figure" key={place.shown}>
          <figcaption>
            The entry in <span class="mono">{place.shown}</span>
          </figcaption>
          <pre class="wrap" tabIndex={0}>
            {entry.join('\n')}
          </pre>
        </figure>
      ))}
      <p class="dim small">
        Hash <span class="mono wrap">{facts.hash}</span>
      </p>
    </>
  )
}
