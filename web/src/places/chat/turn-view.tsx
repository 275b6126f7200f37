import { Component } from 'preact'
import type { ComponentChildren } from 'preact'
import { drawDuration } from '../../../../src/surfaces/chat/draw-amounts.ts'
import { countText, plural } from '../../parts/amounts.tsx'
import { CallRow } from './call-row.tsx'
import { Markdown } from './markdown.tsx'
import { TurnEnd } from './turn-end.tsx'
import { ResultBlock } from '../../parts/result-block.tsx'
import type { OpenConversation } from './open-conversation.ts'
import type { PromptImage, Turn, TurnPart } from './turn.ts'

interface TurnViewProps {
  readonly turn: Turn
  readonly open: OpenConversation
  /** The calls that wait for an approval; the question is drawn in their place. */
  readonly isAsked: (part: TurnPart) => boolean
  /** Absent on turns that are over: only the last one can be tried again. */
  readonly onTryAgain?: () => void
  readonly onGoOn?: () => void
  readonly isLast: boolean
  readonly onOtherModel?: () => void
}

/** A prompt with its answer. Earlier turns are the same objects, and are not drawn again while an answer grows. */
export class TurnView extends Component<TurnViewProps> {
  override shouldComponentUpdate(next: TurnViewProps): boolean {
    return next.turn !== this.props.turn || next.isLast || this.props.isLast
  }

  override render(): ComponentChildren {
    const { turn, open, isAsked, onTryAgain, onGoOn, onOtherModel } = this.props
    const { key, prompt, parts, isRunning, end, model, step } = turn
    const last = parts.length - 1
    return (
      <article class="chat-turn" id={key}>
        {prompt && (
          <div class="chat-prompt">
            <h2>You</h2>
            <p class="wrap">{prompt.text}</p>
            {prompt.images.map((image, at) => (
              <Image key={at} image={image} name={`message-${at + 1}`} />
            ))}
          </div>
        )}
        {(parts.length > 0 || isRunning || end) && (
          <div class="chat-answer">
            <h2>
              assistant <span class="dim">{aboutOf({ model, step, isRunning })}</span>
            </h2>
            {parts.map((part, at) =>
              isAsked(part) ? null : (
                <Part
                  key={(part.kind === 'call' && part.call.call) || at}
                  part={part}
                  open={open}
                  isGrowing={isRunning && at === last}
                  foldKey={`${prompt?.text} ${at}`}
                />
              ),
            )}
            {isRunning && <Waiting parts={parts} />}
            {end && <TurnEnd end={end} {...{ onTryAgain, onGoOn, onOtherModel }} />}
            {end && <p class="chat-sum">{sumOf(turn)}</p>}
          </div>
        )}
      </article>
    )
  }
}

function aboutOf({
  model,
  step,
  isRunning,
}: {
  readonly model?: string | undefined
  readonly step?: number | undefined
  readonly isRunning: boolean
}): string {
  return [model, isRunning && step !== undefined ? `step ${step}` : undefined].filter(Boolean).join(' · ')
}

function sumOf({ end, startedAt }: Turn): string {
  if (!end) return ''
  const { steps, usage } = end
  const { inputTokens, outputTokens, cost, isEstimated } = usage
  return [
    plural(steps, 'step'),
    ...(startedAt === undefined ? [] : [drawDuration(end.at - startedAt)]),
    `${isEstimated ? 'about ' : ''}${countText(inputTokens)} + ${countText(outputTokens)} tokens`,
    ...(!cost ? [] : [`$${cost.toFixed(cost >= 1 ? 2 : 4)}`]),
  ].join(' · ')
}

function Part({
  part,
  open,
  isGrowing,
  foldKey,
}: {
  readonly part: TurnPart
  readonly open: OpenConversation
  readonly isGrowing: boolean
  readonly foldKey: string
}) {
  switch (part.kind) {
    case 'text':
      return <Markdown text={part.text} isGrowing={isGrowing} />
    case 'reasoning':
      return (
        <details class="chat-reasoning">
          <summary>
            {isGrowing ? 'Thinking' : 'Thought'} · {countText(part.text.length)} characters
          </summary>
          <p class="wrap">{part.text}</p>
        </details>
      )
    case 'call':
      return <CallRow call={part.call} open={open} foldKey={foldKey} />
    case 'image':
      return <Image image={part.image} name="answer" />
    case 'note':
      return <p class="chat-note">{part.text}</p>
    default:
      return part satisfies never
  }
}

/** Said while nothing else in the turn moves. */
function Waiting({ parts }: { readonly parts: readonly TurnPart[] }) {
  const last = parts.at(-1)
  if (last?.kind === 'text') return null
  if (last?.kind === 'call' && ['running', 'drafted'].includes(last.call.state)) return null
  return <p class="chat-note">{last?.kind === 'reasoning' ? 'thinking…' : 'waiting for the model…'}</p>
}

function Image({ image, name }: { readonly image: PromptImage; readonly name: string }) {
  const block = { type: 'image', mimeType: image.mediaType, data: image.data }
  return <ResultBlock index={0} block={block} name={name} call={undefined} server={undefined} />
}
