import type { PlaceProps } from '../../app.tsx'
import type { QuestionFacts } from '../../../../src/client.ts'
import { Ago, plural } from '../../parts/amounts.tsx'
import { List } from '../../parts/list.tsx'
import { ListHead } from '../../parts/list-head.tsx'
import { Empty, ErrorLine, faultText, Loading } from '../../parts/messages.tsx'
import { QuestionView } from '../../parts/question-view.tsx'
import { Split } from '../../parts/split.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { addresses, go } from '../../state/addresses.ts'
import { useAnswer } from '../../state/answers.ts'
import { questions } from '../../state/page-state.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { waitingRows } from './waiting-rows.ts'
import type { WaitingRow } from './waiting-rows.ts'
import '../../style/waiting.css'

/** Everything that waits for a person, from all conversations and programs, and what was decided lately. */
export function Waiting({ id }: PlaceProps) {
  const all = useAnswer('GET /api/questions', {}, { on: ['question.changed'] })
  const pending = questions.value
  const settled = all.value?.settled ?? []
  usePageTitle('Waiting')
  const list = (
    <>
      <ListHead title="Waiting" hasDetail={id !== undefined}>
        {pending.length > 0 && <span class="dim">{plural(pending.length, 'question')}</span>}
      </ListHead>
      <ErrorLine error={all.error} />
      {pending.length === 0 && <Empty says="Nothing waits for you." command="plugboard questions" />}
      <List
        label="Questions"
        items={waitingRows(pending, settled)}
        keyOf={({ key }) => key}
        to={({ question }) => addresses.question(question?.id ?? '')}
        isHeading={({ question }) => question === undefined}
        current={id}
      >
        {(row) => <Row row={row} />}
      </List>
    </>
  )
  return (
    <Split
      kind="list"
      list={list}
      detail={id === undefined ? undefined : <Detail key={id} id={id} known={[...pending, ...settled]} />}
      placeholder={pending.length > 0 ? <Empty says="Choose a question to see all of it." /> : undefined}
      back={addresses.waiting}
      backLabel="Waiting"
      detailLabel="Question"
    />
  )
}

function Row({ row }: { readonly row: WaitingRow }) {
  const { question, title, state } = row
  if (!question) return <>{title}</>
  const { askedAt, settledAt, conversationTitle, answeredIn } = question
  const whose = [
    ...(question.state === 'pending' ? [] : [title]),
    ...(question.client === undefined ? [] : [`for ${question.client}`]),
    ...(conversationTitle ? [`“${conversationTitle}”`] : question.conversation === undefined ? [] : ['Chat']),
  ]
  return (
    <span class="waiting-row">
      <span class="waiting-line">
        <StateMark state={state} />
        <span class="dim small waiting-when">
          <Ago at={settledAt ?? askedAt} />
          {answeredIn !== undefined && ` · ${answeredIn}`}
        </span>
      </span>
      {whose.length > 0 && <span class="waiting-second">{whose.join(' · ')}</span>}
    </span>
  )
}

/** One question, by its address: also one that was decided long ago. */
function Detail({ id, known }: { readonly id: string; readonly known: readonly QuestionFacts[] }) {
  const found = known.find((each) => each.id === id)
  const answer = useAnswer(
    'GET /api/questions/:question',
    { params: { question: id } },
    {
      on: ['question.changed'],
      when: (event) => event.type === 'question.changed' && event.question.id === id,
    },
  )
  const waits = useAnswer('GET /api/calls', { query: { state: 'waits' } }, { on: ['call.changed'] })
  const call = waits.value?.calls.find((each) => each.question === id)
  const question = newest(found, answer.value)
  if (!question)
    return answer.error ? (
      <Empty title="Question" says={faultText(answer.error)} command="plugboard questions" />
    ) : (
      <Loading what="Reading the question" />
    )
  const { conversation, conversationTitle, askedAt } = question
  return (
    <div class="waiting-detail">
      <h1 class="hidden-text">Question</h1>
      <QuestionView question={question} takesFocus onLater={() => go(addresses.waiting)} />
      <p class="dim small">
        asked <Ago at={askedAt} />
        {question.client !== undefined && (
          <>
            {' for '}
            <a href={addresses.clients}>{question.client}</a>, a client of the gateway
          </>
        )}
        {conversation !== undefined && (
          <>
            {' in '}
            <a href={addresses.conversation(conversation)}>{conversationTitle || 'a conversation'}</a>
          </>
        )}
        {call && (
          <>
            {' by the call '}
            <a class="mono" href={addresses.call(call.id)}>
              {call.ref}
            </a>
          </>
        )}
      </p>
    </div>
  )
}

/** A settled question never waits again. */
function newest(one: QuestionFacts | undefined, other: QuestionFacts | undefined): QuestionFacts | undefined {
  if (!one || !other) return one ?? other
  return one.state === 'pending' ? other : one
}
