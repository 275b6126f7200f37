import '../style/question.css'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Fault, QuestionFacts, RouteInput, ShownArgumentProblem } from '../../../src/client.ts'
import { escapeLine } from '../../../src/surfaces/terminal/escape.ts'
import { toFault } from '../state/answers.ts'
import { send } from '../state/client.ts'
import { isTyping } from '../state/keys.ts'
import { about } from '../state/page-state.ts'
import { singleKeys } from '../state/settings.ts'
import { Ago } from './amounts.tsx'
import { Button } from './button.tsx'
import { CommandText } from './copy-button.tsx'
import { FindingList } from './finding-list.tsx'
import { ErrorLine, Marks } from './messages.tsx'
import { StateMark } from './state-mark.tsx'

export type Reply = RouteInput<'POST /api/questions/:question/answer'>['body']

/** Answering a question: what was sent, what was wrong with it. */
export interface Replying {
  readonly reply: (body: Reply) => void
  readonly isSending: boolean
  readonly problem: Fault | undefined
  /** At the fields of a form. */
  readonly problems: readonly ShownArgumentProblem[]
}

/** What appears under a pointer or a typing hand answers nothing: an answer counts only after this time. */
const quietMs = 500

export function useReply({ id }: QuestionFacts): Replying {
  const shownAt = useRef(performance.now())
  const [isSending, setIsSending] = useState(false)
  const [problem, setProblem] = useState<Fault>()
  const [problems, setProblems] = useState<readonly ShownArgumentProblem[]>([])
  const reply = async (body: Reply): Promise<void> => {
    if (isSending || performance.now() - shownAt.current < quietMs) return
    setIsSending(true)
    try {
      const answer = await send('POST /api/questions/:question/answer', { params: { question: id }, body })
      setProblem(undefined)
      setProblems(answer.problems)
    } catch (error) {
      setProblem(toFault(error))
    }
    setIsSending(false)
  }
  return { reply: (body) => void reply(body), isSending, problem, problems }
}

/** A key and what it does, while the question has the focus. */
export type QuestionKeys = Readonly<Record<string, () => void>>

interface QuestionFrameProps {
  readonly question: QuestionFacts
  readonly keys?: QuestionKeys
  readonly problem?: Fault | undefined
  /** Moves the focus to the text of the question when it appears, and when this changes; never to a button. */
  readonly takesFocus?: boolean | string
  readonly marks?: readonly string[]
  readonly buttons?: ComponentChildren
  readonly children: ComponentChildren
}

/** The frame of every question: title, text, buttons, and the command that answers it in a terminal. */
export function QuestionFrame(props: QuestionFrameProps) {
  const { question, keys = {}, problem, takesFocus = false, marks = [], buttons, children } = props
  const { id, title, state, server, from, command, isWaiting } = question
  const frame = useRef<HTMLElement>(null)
  const isPending = state === 'pending'
  // Before it is drawn: where one question takes the place of another, the focus is not lost between them.
  useLayoutEffect(() => {
    if (takesFocus) frame.current?.focus({ preventScroll: true })
  }, [takesFocus, id])
  const onKeyDown = (event: KeyboardEvent): void => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat
    const act = keys[event.key.toLowerCase()]
    if (!act || isTyping(event.target) || !isPlain || !isPending || singleKeys.value === 'off') return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  return (
    <section
      ref={frame}
      class={`question ${isPending ? 'is-asking' : 'is-settled'}`}
      aria-labelledby={`question-${id}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <header class="question-head">
        <h2 id={`question-${id}`}>
          <StateMark state={{ tone: isPending ? 'ask' : 'dim', shape: 'square', word: escapeLine(title) }} />
        </h2>
        <Marks marks={marks.map(escapeLine)} />
      </header>
      {children}
      <FindingList findings={question.findings} />
      {server !== undefined && from !== undefined && (
        <p class="question-note">
          <span class="mono">{escapeLine(server)}</span> is declared in{' '}
          <span class="mono">{escapeLine(from)}</span>
        </p>
      )}
      {isPending ? buttons : <Settled question={question} />}
      <ErrorLine error={problem} />
      {isPending && !isWaiting && (
        <p class="question-note">
          No program waits for it now. An answer counts once, when the same is asked again.
        </p>
      )}
      {/* A terminal has another home than the demo, and would not find the question. */}
      {isPending && !about.value?.isDemo && (
        <p class="question-note question-also">
          also: <CommandText command={command} />
        </p>
      )}
    </section>
  )
}

const endings: Readonly<Record<QuestionFacts['state'], string>> = {
  pending: 'waits',
  answered: 'answered',
  expired: 'expired: the program that asked has ended, or nobody answered in time',
  withdrawn: 'withdrawn: the call that needed the answer was stopped',
}

const answeredPlaces = { page: 'on the page', terminal: 'in a terminal' } as const

function Settled({ question }: { readonly question: QuestionFacts }) {
  const { state, decision, answeredIn, settledAt } = question
  return (
    <p class="question-end">
      <b>{decision ?? endings[state]}</b>
      {answeredIn !== undefined && ` ${answeredPlaces[answeredIn]}`}
      {settledAt !== undefined && (
        <>
          {' · '}
          <Ago at={settledAt} />
        </>
      )}
    </p>
  )
}

/** How a question of a server ends without what it asks for, or waits on. */
export function DeclineButtons({
  question,
  replying,
  onLater,
}: {
  readonly question: QuestionFacts
  readonly replying: Replying
  readonly onLater: (() => void) | undefined
}) {
  return (
    <>
      <AnswerButton
        label="Decline"
        replying={replying}
        command={question.command}
        onPress={() => replying.reply({ action: 'decline' })}
      />
      {onLater && <AnswerButton label="Later" onPress={onLater} />}
    </>
  )
}

/** A button of a question. Its key is shown, unless keys without Ctrl are switched off. */
export function AnswerButton({
  label,
  letter,
  isPrimary = false,
  replying,
  command,
  about,
  onPress,
}: {
  readonly label: string
  readonly letter?: string
  readonly isPrimary?: boolean
  /** Absent on buttons that answer nothing. */
  readonly replying?: Replying
  readonly command?: string
  readonly about?: string
  readonly onPress: () => void
}) {
  return (
    <Button
      {...(isPrimary && { kind: 'primary' })}
      {...(letter !== undefined && singleKeys.value === 'on' && { keyName: letter })}
      {...(command !== undefined && { command })}
      {...(about !== undefined && { about })}
      {...(replying?.isSending && { refused: 'The answer is being sent.' })}
      onPress={onPress}
    >
      {label}
    </Button>
  )
}
