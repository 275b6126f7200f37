import { useState } from 'preact/hooks'
import { drawDuration } from '../../../../src/surfaces/chat/draw-amounts.ts'
import { sizeText } from '../../parts/amounts.tsx'
import { ArgumentList } from '../../parts/argument-list.tsx'
import { Button } from '../../parts/button.tsx'
import { argumentLine } from '../../parts/argument-text.ts'
import { LongText } from '../../parts/long-text.tsx'
import { ResultBlock } from '../../parts/result-block.tsx'
import { cutLong } from '../../parts/result-text.ts'
import { ShapeMark } from '../../parts/state-mark.tsx'
import type { StateMarkProps } from '../../parts/state-mark.tsx'
import { addresses } from '../../state/addresses.ts'
import type { TurnCall } from './turn.ts'

/** Rows that a person opened stay open when the conversation is loaded again. */
const opened = new Set<string>()

const marks = {
  running: { shape: 'ring', tone: 'warn', word: 'runs' },
  done: { shape: 'dot', tone: 'ok', word: 'done' },
  failed: { shape: 'triangle', tone: 'bad', word: 'failed' },
  refused: { shape: 'cross', tone: 'warn', word: 'refused' },
  cancelled: { shape: 'dash', tone: 'dim', word: 'stopped' },
  'unknown-outcome': { shape: 'triangle', tone: 'warn', word: 'not known whether it ran' },
} as const satisfies Readonly<Record<TurnCall['state'], StateMarkProps['state']>>

/** A call of the model: its arguments in the row, its result folded. */
export function CallRow({ call, foldKey }: { readonly call: TurnCall; readonly foldKey: string }) {
  const { name, ref = name, args, state, error } = call
  const [isOpen, setIsOpen] = useState(opened.has(foldKey))
  const { shape, tone, word } = marks[state]
  return (
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
