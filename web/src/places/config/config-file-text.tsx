import { useEffect, useRef } from 'preact/hooks'
import type { Problem, RouteAnswer } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { Clock } from '../../parts/amounts.tsx'
import type { CodeLine } from '../../parts/code-lines.tsx'
import { CodeLines } from '../../parts/code-lines.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Empty, ErrorLine, Loading } from '../../parts/messages.tsx'
import { ProblemLine } from '../../parts/problem-line.tsx'
import { addresses } from '../../state/addresses.ts'
import { useAnswer } from '../../state/answers.ts'
import { ConfigFix } from './config-fix.tsx'

type FileText = RouteAnswer<'GET /api/config/file'>

interface ConfigFileTextProps {
  readonly file: string
  /** The line to look at. */
  readonly line: number | undefined
}

/** The text of a file, with each problem under its line. */
export function ConfigFileText({ file, line }: ConfigFileTextProps) {
  const { value, error, reload } = useAnswer(
    'GET /api/config/file',
    { query: { file } },
    { on: ['config.changed'] },
  )
  const text = useRef<HTMLDivElement>(null)
  const isRead = value !== undefined
  useEffect(() => {
    if (isRead) text.current?.querySelector('.is-marked')?.scrollIntoView({ block: 'center' })
  }, [isRead, line])
  if (!value) return error ? <ErrorLine error={error} /> : <Loading what="Reading the file" />
  const elsewhere = value.problems.filter(({ place }) => place?.line === undefined)
  return (
    <>
      <Head value={value} file={file} line={line} />
      <ErrorLine error={error} />
      {value.lastGood && (
        <p class="tone-bad">
          The file does not parse. Its last good version counts since <Clock at={value.lastGood.since} />.
        </p>
      )}
      {elsewhere.map((problem, index) => (
        <ProblemLine key={index} problem={problem} />
      ))}
      {value.lines.length === 0 ? (
        <Empty says="The file is empty." />
      ) : (
        <div class="frame" ref={text}>
          <CodeLines
            label={`Text of ${value.file.shown}`}
            lines={linesOf(value, line, () => void reload())}
          />
        </div>
      )}
      <p class="dim small">Secrets are hidden here; the file has them.</p>
    </>
  )
}

function linesOf(
  { file, lines, problems }: FileText,
  marked: number | undefined,
  onWritten: () => void,
): CodeLine[] {
  const notes = new Map<number, Problem[]>()
  for (const problem of problems) {
    const at = problem.place?.line
    if (at !== undefined) notes.set(at, [...(notes.get(at) ?? []), problem])
  }
  return lines.map(({ number, text }) => ({
    number,
    text,
    ...(number === marked && { kind: 'marked' as const }),
    note: notes.get(number)?.map((problem, index) => (
      <ProblemLine key={index} problem={problem}>
        <ConfigFix file={file.file} problem={problem} onWritten={onWritten} />
      </ProblemLine>
    )),
  }))
}

function Head({
  value: { file, servers },
  file: path,
  line,
}: { readonly value: FileText } & ConfigFileTextProps) {
  const place = line === undefined ? path : `${path}:${line}`
  return (
    <header>
      <div class="config-head">
        <h1 class="mono">{file.shown}</h1>
        <CopyButton text={place} label="Copy path" />
        <span class="grow" />
        <Button
          to={`vscode://file${encodeURI(place)}`}
          about="Opens the file in VS Code, where it is installed."
        >
          Open in editor
        </Button>
      </div>
      <p class="dim">
        {file.source}, {file.scope}
        {!file.isInUse && ', not in use'}
        {servers.map(({ name }, index) => (
          <span key={`${name} ${index}`}>
            {index === 0 ? ': ' : ', '}
            <a href={addresses.server(name)}>{name}</a>
          </span>
        ))}
      </p>
    </header>
  )
}
