import { useState } from 'preact/hooks'
import type { SourceRow } from '../../../../src/client.ts'
import { plural } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import type { TypedCode } from '../../parts/code-dialog.tsx'
import { CodeDialog } from '../../parts/code-dialog.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { addresses } from '../../state/addresses.ts'
import { useAction } from '../../state/answers.ts'
import { send } from '../../state/client.ts'

interface ConfigSourcesProps {
  readonly sources: readonly SourceRow[]
  /** The id of the one that the address asks for. */
  readonly wanted: string | undefined
  readonly onChanged: () => void
}

/** The clients whose files are read, on or off. Using one may start its servers, so it needs the code of the terminal. */
export function ConfigSources({ sources, wanted, onChanged }: ConfigSourcesProps) {
  // A client that only reads a file of the project, which is in use already, has nothing to add.
  const isFound = ({ use, files }: SourceRow): boolean => use !== 'off' || files.length > 0
  const others = sources.filter((each) => !isFound(each))
  return (
    <>
      <h1>Sources</h1>
      <p class="dim">Servers that other clients declare can be used here. Their files stay as they are.</p>
      <ul class="row-list">
        {sources.filter(isFound).map((source) => (
          <li key={source.id}>
            <Source source={source} isWanted={source.id === wanted} onChanged={onChanged} />
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <details class="folded">
          <summary>{plural(others.length, 'client')} without a file of their own here</summary>
          <p class="dim">{others.map(({ title }) => title).join(', ')}</p>
        </details>
      )}
    </>
  )
}

interface SourceProps {
  readonly source: SourceRow
  /** The address asks for it: the dialog opens at once. */
  readonly isWanted: boolean
  readonly onChanged: () => void
}

function Source({ source: { id, title, use, servers, files }, isWanted, onChanged }: SourceProps) {
  const [isAsking, setAsking] = useState(isWanted && use === 'off')
  const change = async (enabled: boolean, typed?: TypedCode): Promise<void> => {
    await send('PUT /api/sources/:source', { params: { source: id }, body: { enabled, ...typed } })
    setAsking(false)
    onChanged()
  }
  const stop = useAction(() => change(false))
  const own = files.reduce((sum, each) => sum + each.servers, 0)
  return (
    <>
      <div class="row-line">
        <strong>{title}</strong>
        <StateMark state={looks[use]} />
        <span class="dim">{plural(use === 'off' ? own : servers, 'server')}</span>
        {use === 'off' && (
          <Button command={`plugboard sources enable ${id}`} onPress={() => setAsking(true)}>
            Use…
          </Button>
        )}
        {use === 'on' && (
          <Button command={`plugboard sources disable ${id}`} action={stop}>
            Stop using
          </Button>
        )}
      </div>
      <ul class="source-files">
        {files.map(({ file, shown }) => (
          <li key={file}>
            <a class="mono" href={addresses.configFile(file)}>
              {shown}
            </a>
          </li>
        ))}
      </ul>
      <ErrorLine error={stop.error} />
      {isAsking && (
        <CodeDialog
          subject={{ for: 'source', subject: id, about: { enabled: true } }}
          says={`Type it to use the servers of ${title}.`}
          label="Use"
          onCode={(typed) => change(true, typed)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

const looks = {
  own: { tone: 'ok', shape: 'dot', word: 'always in use' },
  on: { tone: 'ok', shape: 'dot', word: 'in use' },
  off: { tone: 'dim', shape: 'dash', word: 'not in use' },
} as const satisfies Readonly<Record<SourceRow['use'], object>>
