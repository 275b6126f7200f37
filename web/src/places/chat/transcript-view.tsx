import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { QuestionFacts } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { useKeptFocus } from '../../parts/kept-focus.ts'
import { QuestionView } from '../../parts/question-view.tsx'
import { useAction } from '../../state/answers.ts'
import { questions } from '../../state/page-state.ts'
import type { OpenConversation } from './open-conversation.ts'
import { TurnView } from './turn-view.tsx'
import type { Turn, TurnPart } from './turn.ts'

/** Nearer to the end than this, the log follows what is new. */
const nearPixels = 48

/** The turns of a conversation, with the questions that they wait for. */
export function TranscriptView({
  open,
  onTryAgain,
  onGoOn,
  onOtherModel,
}: {
  readonly open: OpenConversation
  readonly onTryAgain: (turn: Turn) => void
  readonly onGoOn: () => void
  readonly onOtherModel: () => void
}) {
  const { turns, current, hasEarlier } = open.transcript.value
  const asked = questions.value.filter(({ conversation }) => conversation === open.id)
  const frame = useRef<HTMLDivElement>(null)
  const log = useRef<HTMLDivElement>(null)
  useKeptFocus(frame, log)
  const { isAtEnd, onScroll, toEnd } = useFollowedEnd(log, open.id)
  const all = current ? [...turns, current] : turns
  const isAsked = (part: TurnPart) => asked.some((question) => isQuestionOf(question, part))
  return (
    <div class="chat-log-frame" ref={frame}>
      <div
        class="chat-log"
        role="log"
        aria-label="Conversation"
        aria-live="off"
        tabIndex={0}
        ref={log}
        onScroll={onScroll}
      >
        {hasEarlier && <Earlier open={open} log={log} />}
        {all.map((turn, at) => {
          const isLast = at === all.length - 1
          return (
            <TurnView
              // The same when the turn is read again from its messages: a frame that is moved is loaded again.
              key={turn.startedAt ?? (turn.key === 'now' ? `now ${turns.length}` : turn.key)}
              open={open}
              turn={turn}
              isLast={isLast}
              isAsked={isAsked}
              {...(isLast && !turn.isRunning && { onTryAgain: () => onTryAgain(turn), onGoOn, onOtherModel })}
            />
          )
        })}
        {asked.length > 0 && (
          <div class="chat-questions">
            {asked.map((question) => (
              <QuestionView key={question.id} question={question} />
            ))}
          </div>
        )}
      </div>
      {!isAtEnd && (
        <Button class="chat-end" onPress={toEnd} about="Goes on following the answer.">
          To the end
        </Button>
      )}
      <p class="hidden-text" role="status">
        {statusOf(current, asked)}
      </p>
    </div>
  )
}

/** Said by screen readers, once per change; the growing text itself would be said piece by piece. */
function statusOf(current: Turn | undefined, asked: readonly QuestionFacts[]): string {
  const [question] = asked
  if (question) return question.title
  if (!current) return ''
  if (current.isRunning) return 'The model answers.'
  return current.end?.outcome === 'done' ? 'The answer is complete.' : (current.end?.reason ?? '')
}

function isQuestionOf({ asked }: QuestionFacts, part: TurnPart): boolean {
  if (asked.kind !== 'approval' || part.kind !== 'call' || part.call.state !== 'running') return false
  // Its app stays.
  if (part.call.app !== undefined) return false
  return asked.ref === part.call.ref && JSON.stringify(asked.args) === JSON.stringify(part.call.args)
}

function Earlier({
  open,
  log,
}: {
  readonly open: OpenConversation
  readonly log: { readonly current: HTMLElement | null }
}) {
  const load = useAction(async () => {
    const before = log.current?.scrollHeight ?? 0
    await open.loadEarlier()
    // What was in sight stays in sight.
    requestAnimationFrame(() => log.current?.scrollBy(0, log.current.scrollHeight - before))
  })
  return (
    <div class="chat-earlier">
      <Button action={load} about="The 50 messages before these">
        Earlier messages
      </Button>
      <ErrorLine error={load.error} />
    </div>
  )
}

/** Keeps the end of the log in sight while it grows, unless the person scrolled away from it. */
function useFollowedEnd(log: { readonly current: HTMLElement | null }, id: string) {
  const [isAtEnd, setIsAtEnd] = useState(true)
  const isFollowing = useRef(true)
  const toEnd = (): void => {
    isFollowing.current = true
    log.current?.scrollTo(0, log.current.scrollHeight)
  }
  useLayoutEffect(() => {
    const target = /^#m\d+$/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null
    isFollowing.current = target === null
    target?.scrollIntoView()
  }, [id])
  // A keyboard that opens, or a phone that is turned, leaves less room, and an app in a turn can grow by itself: the end stays in sight.
  const observer = useRef<ResizeObserver>()
  useLayoutEffect(() => {
    const { current } = log
    if (!current) return
    const made = new ResizeObserver(() => {
      if (isFollowing.current) current.scrollTo(0, current.scrollHeight)
    })
    made.observe(current)
    observer.current = made
    return () => made.disconnect()
  }, [])
  const observed = useRef(new WeakSet<Element>())
  useLayoutEffect(() => {
    const { current } = log
    if (!current) return
    for (const part of current.children) {
      if (observed.current.has(part)) continue
      observed.current.add(part)
      observer.current?.observe(part)
    }
    if (isFollowing.current) current.scrollTo(0, current.scrollHeight)
  })
  const onScroll = ({ currentTarget }: { readonly currentTarget: HTMLElement }): void => {
    const { scrollHeight, scrollTop, clientHeight } = currentTarget
    isFollowing.current = scrollHeight - scrollTop - clientHeight < nearPixels
    setIsAtEnd(isFollowing.current)
  }
  return { isAtEnd, onScroll, toEnd }
}
