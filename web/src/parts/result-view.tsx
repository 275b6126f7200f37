import { useMemo, useState } from 'preact/hooks'
import type { CallDetail, ResultFacts } from '../../../src/client.ts'
import { copy } from '../state/announce.ts'
import { useAction } from '../state/answers.ts'
import { wholeCallText } from '../state/call-text.ts'
import { Button } from './button.tsx'
import { FindingList } from './finding-list.tsx'
import { JsonTree } from './json-tree.tsx'
import { ErrorLine } from './messages.tsx'
import { ResultBlock } from './result-block.tsx'
import { cutLong, fileName, rawOf, treeOf } from './result-text.ts'
import { saveFile } from './save-file.ts'
import { LongText } from './long-text.tsx'
import { Size } from './amounts.tsx'

/** A server may send any number of small parts. */
const blocksAtOnce = 100

type View = 'Text' | 'Tree' | 'Raw' | 'Wire'

/**
 * The result of a call as text, tree, raw JSON and the messages on the wire. Everything of a server is drawn as text.
 *
 * @example
 * <ResultView result={detail.result} name="github__list_issues" call={detail.call.id} wire={detail.wire} />
 */
export function ResultView({
  result,
  name,
  call,
  server,
  wire,
}: {
  readonly result: ResultFacts
  /** Names saved files. */
  readonly name: string
  /** The call whose long texts can be opened whole. */
  readonly call?: string | undefined
  /** The server whose resources links go to. */
  readonly server?: string | undefined
  readonly wire?: CallDetail['wire'] | undefined
}) {
  const tree = useMemo(() => treeOf(result), [result])
  const views: readonly View[] = [
    'Text',
    ...(tree === undefined ? [] : (['Tree'] as const)),
    'Raw',
    ...(wire && wire.length > 0 ? (['Wire'] as const) : []),
  ]
  const [shown, setShown] = useState(blocksAtOnce)
  const [chosen, setChosen] = useState<View>()
  // A result of JSON alone is easier to read as a tree.
  const isJson =
    tree !== undefined && result.blocks.every(({ type }) => type === 'text') && result.blocks.length <= 1
  const wanted = chosen ?? (isJson ? 'Tree' : 'Text')
  const view = views.includes(wanted) ? wanted : 'Text'
  const whole = async () => {
    if (tree !== undefined) return JSON.stringify(tree, null, 2)
    const texts = result.blocks.map(async ({ text = '', isCut }, index) =>
      isCut && call !== undefined ? wholeCallText(call, index) : text,
    )
    return (await Promise.all(texts)).join('\n')
  }
  const copyAll = useAction(async () => copy(await whole(), 'Result copied'))
  const save = useAction(async () =>
    saveFile(fileName(name, tree === undefined ? undefined : 'application/json'), await whole()),
  )
  return (
    <div class="result">
      <div class="result-bar">
        <span class="segments" role="group" aria-label="Show the result as">
          {views.map((each) => (
            <button
              key={each}
              type="button"
              class="segment"
              aria-pressed={each === view}
              onClick={() => setChosen(each)}
            >
              {each}
            </button>
          ))}
        </span>
        <span class="grow" />
        <Size bytes={result.bytes} />
        <Button kind="plain" action={copyAll} about="Copy the whole result">
          Copy
        </Button>
        <Button kind="plain" action={save} about="Save the whole result">
          Save
        </Button>
      </div>
      <ErrorLine error={copyAll.error ?? save.error} />
      {result.isFailed && <p class="result-failed tone-bad">The tool reports a failure.</p>}
      <FindingList findings={result.findings} />
      {view === 'Text' && (
        <div class="result-blocks">
          {result.blocks.slice(0, shown).map((block, index) => (
            <ResultBlock key={index} block={block} index={index} name={name} call={call} server={server} />
          ))}
          {result.blocks.length > shown && (
            <p class="result-none">
              <Button about="Draw more parts of the result" onPress={() => setShown(shown + blocksAtOnce)}>
                {result.blocks.length - shown} more
              </Button>
            </p>
          )}
          {result.blocks.length === 0 && tree === undefined && <p class="dim result-none">No content.</p>}
          {result.spilled && (
            <p class="dim result-none">
              The whole result is in <code>{result.spilled.path}</code>
            </p>
          )}
        </div>
      )}
      {view === 'Tree' && tree !== undefined && <JsonTree value={tree} label="Result" />}
      {view === 'Raw' && <LongText {...cutLong(rawOf(result))} />}
      {view === 'Wire' && wire && <WireView wire={wire} />}
    </div>
  )
}

function WireView({ wire }: { readonly wire: CallDetail['wire'] }) {
  return (
    <ol class="wire">
      {wire.map((message, index) => (
        <li key={index}>
          <p class="wire-head dim">
            <span class="mono">{message.direction === 'out' ? '→ to the server' : '← from the server'}</span>
            <span class="number">{timeOf(message.at)}</span>
          </p>
          <LongText {...cutLong(pretty(message.text))} />
        </li>
      ))}
    </ol>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23)
}
