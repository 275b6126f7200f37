import { useEffect, useState } from 'preact/hooks'
import { fromRef } from '../../../../src/model/tool.ts'
import { drawDuration } from '../../../../src/surfaces/chat/draw-amounts.ts'
import { sizeText } from '../../parts/amounts.tsx'
import { ArgumentList } from '../../parts/argument-list.tsx'
import { Button } from '../../parts/button.tsx'
import { argumentLine } from '../../parts/argument-text.ts'
import { AppView } from '../../parts/lazy-app.ts'
import { LongText } from '../../parts/long-text.tsx'
import { ResultBlock } from '../../parts/result-block.tsx'
import { cutLong } from '../../parts/result-text.ts'
import { ShapeMark } from '../../parts/state-mark.tsx'
import type { StateMarkProps } from '../../parts/state-mark.tsx'
import { addresses } from '../../state/addresses.ts'
import type { OpenConversation } from './open-conversation.ts'
import type { TurnCall } from './turn.ts'

/** Rows that a person opened stay open when the conversation is loaded again. */
const opened = new Set<string>()

const marks = {
  drafted: { shape: 'ring', tone: 'dim', word: 'is written' },
  running: { shape: 'ring', tone: 'warn', word: 'runs' },
  done: { shape: 'dot', tone: 'ok', word: 'done' },
  failed: { shape: 'triangle', tone: 'bad', word: 'failed' },
  refused: { shape: 'cross', tone: 'warn', word: 'refused' },
  cancelled: { shape: 'dash', tone: 'dim', word: 'stopped' },
  'unknown-outcome': { shape: 'triangle', tone: 'warn', word: 'not known whether it ran' },
} as const satisfies Readonly<Record<TurnCall['state'], StateMarkProps['state']>>

/** A call of the model: its arguments in the row, its result folded. */
export function CallRow({
  call,
  open,
  foldKey,
}: {
  readonly call: TurnCall
  readonly open: OpenConversation
  readonly foldKey: string
}) {
  const { name, ref = name, args, state, error } = call
  const [isOpen, setIsOpen] = useState(opened.has(foldKey))
  const { shape, tone, word } = marks[state]
  return (
    <>
      <details
        class="chat-call"
        open={isOpen}
        onToggle={({ currentTarget }) => {
          setIsOpen(currentTarget.open)
          if (currentTarget.open) opened.add(foldKey)
          else opened.delete(foldKey)
        }}
      >
        <summary>
          <span class={`state tone-${tone}`}>
            <ShapeMark shape={shape} />
            <span class={state === 'done' ? 'hidden-text' : undefined}>{word}</span>
          </span>
          <b class="chat-call-name mono">{ref}</b>
          <span class="chat-call-arguments mono">{argumentLine(args)}</span>
          <span class="chat-call-amounts">{amountsOf(call)}</span>
        </summary>
        {isOpen && <CallBody call={call} />}
        {error && !isOpen && <CallError call={call} />}
      </details>
      {call.app !== undefined && <CallApp call={call} open={open} />}
    </>
  )
}

/** Calls whose app was shown by itself: going back to the conversation leaves them folded. */
const unfolded = new Set<string>()
/** Each app has a process of the browser. */
const maxUnfolded = 4

/** The app of a call, at once if the call is made now. */
function CallApp({ call, open }: { readonly call: TurnCall; readonly open: OpenConversation }) {
  const { call: id = '', ref = '', startedAt } = call
  const [isShown, setIsShown] = useState(() => {
    const isNew = startedAt !== undefined && !unfolded.has(id) && open.apps < maxUnfolded
    unfolded.add(id)
    return isNew
  })
  useEffect(() => {
    if (!isShown) return
    open.apps++
    return () => void open.apps--
  }, [isShown])
  const { server = '' } = fromRef(ref) ?? {}
  if (isShown) return <AppView call={id} server={server} talk={open} made={call} />
  return (
    <Button class="chat-app" onPress={() => setIsShown(true)} about="What the server shows of this result">
      Show the app of {server}
    </Button>
  )
}

function amountsOf({ ms, waitedMs, bytes, progress, state }: TurnCall): string {
  if (state === 'running' && progress) {
    const part =
      progress.total === undefined ? `${progress.progress}` : `${progress.progress} of ${progress.total}`
    return progress.message === undefined ? part : `${part} ${progress.message}`
  }
  return [
    ...(waitedMs === undefined ? [] : [`waited ${drawDuration(waitedMs)}`]),
    ...(ms === undefined ? [] : [drawDuration(ms)]),
    ...(bytes === undefined || state !== 'done' ? [] : [sizeText(bytes)]),
  ].join(' · ')
}

function CallBody({ call }: { readonly call: TurnCall }) {
  const { args, text, error, blocks = [], spilled, state } = call
  return (
    <div class="chat-call-body">
      <ArgumentList args={args} />
      {error ? (
        <CallError call={call} />
      ) : (
        text !== undefined && text !== '' && <LongText {...cutLong(text)} whole={text} />
      )}
      {state === 'done' && text === '' && <p class="dim">an empty result</p>}
      {blocks.flatMap(imageOf).map((image, at) => (
        <ResultBlock key={at} index={at} block={image} name={call.name} call={undefined} server={undefined} />
      ))}
      {spilled && (
        <p class="small dim">
          whole result: <code>{spilled.path}</code>
        </p>
      )}
    </div>
  )
}

function CallError({ call }: { readonly call: TurnCall }) {
  const { error, ref, args } = call
  if (!error) return null
  return (
    <div class="chat-call-error">
      <p class="tone-bad">{error.message}</p>
      {error.hint !== undefined && <p class="small dim">{error.hint}</p>}
      {ref !== undefined && (
        <Button to={toolAddress(ref, args)} command={`plugboard call ${ref}`}>
          Run again…
        </Button>
      )}
    </div>
  )
}

const maxInAddress = 4000

/** The tool with these arguments filled in, unless they are too long for an address. */
function toolAddress(ref: string, args: TurnCall['args']): string {
  return addresses.tool(ref, JSON.stringify(args).length < maxInAddress ? args : undefined)
}

type Block = NonNullable<TurnCall['blocks']>[number]

/** The texts of a result are shown as the model received them; images and sounds beside them. */
function imageOf(
  block: Block,
): readonly { readonly type: string; readonly data: string; readonly mimeType: string }[] {
  if (!('data' in block) || !('mimeType' in block)) return []
  const { type, data, mimeType } = block
  return typeof data === 'string' && typeof mimeType === 'string' ? [{ type, data, mimeType }] : []
}
