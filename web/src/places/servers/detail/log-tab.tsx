import { useEffect, useRef, useState } from 'preact/hooks'
import { clockText } from '../../../parts/amounts.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Empty, ErrorLine } from '../../../parts/messages.tsx'
import { useAnswer } from '../../../state/answers.ts'
import { onFeed } from '../../../state/page-state.ts'

const keptLines = 2000

interface LogLine {
  readonly at: string
  readonly text: string
}

/** What the server writes to stderr: the last lines of its log, then the new ones as they come. */
export function LogTab({ server }: { readonly server: string }) {
  const { value, error, isLoading } = useAnswer('GET /api/servers/:server/log', {
    params: { server },
    query: { lines: '500' },
  })
  const lines = [...(value?.lines ?? []), ...useNewLines(server, value)].slice(-keptLines)
  const [filter, setFilter] = useState('')
  const [isFollowing, setFollowing] = useState(true)
  const shown =
    filter === '' ? lines : lines.filter(({ text }) => text.toLowerCase().includes(filter.toLowerCase()))
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [isFollowing, shown.length, shown.at(-1)])

  return (
    <div class="log">
      <div class="log-tools">
        <input
          type="search"
          aria-label="Filter the lines"
          placeholder="Filter"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <label>
          <input
            type="checkbox"
            checked={isFollowing}
            onChange={(event) => setFollowing(event.currentTarget.checked)}
          />
          Follow
        </label>
        <CopyButton text={() => shown.map(({ text }) => text).join('\n')} label="Copy the lines" />
      </div>
      <ErrorLine error={error} />
      {shown.length > 0 ? (
        <div class="log-lines" ref={box} tabIndex={0} role="region" aria-label={`Log of ${server}`}>
          {shown.map(({ at, text }, index) => (
            <div class="log-line" key={`${at} ${index}`}>
              <time dateTime={at}>{timeOf(at)}</time>
              <span>{text}</span>
            </div>
          ))}
        </div>
      ) : (
        !isLoading && (
          <Empty
            says={
              lines.length === 0 ? `${server} has written nothing to stderr.` : `No line has “${filter}”.`
            }
            command={`plugboard logs ${server}`}
          />
        )
      )}
    </div>
  )
}

/** Lines since the log was read; those before it are in it. */
function useNewLines(server: string, read: unknown): readonly LogLine[] {
  const [lines, setLines] = useState<readonly LogLine[]>([])
  useEffect(() => {
    setLines([])
    return onFeed('server.said', (event) => {
      if (event.server !== server) return
      const line = { at: new Date(event.at).toISOString(), text: event.line }
      setLines((before) => [...before, line].slice(-keptLines))
    })
  }, [server, read])
  return lines
}

function timeOf(at: string): string {
  const moment = new Date(at)
  return Number.isNaN(moment.getTime()) ? at : clockText(moment)
}
