import type { QuestionFacts } from '../../../src/client.ts'
import { ApprovalQuestion } from './question-approval.tsx'
import { FormQuestion } from './question-form.tsx'
import { LoginQuestion, UrlQuestion } from './question-link.tsx'
import { SamplingQuestion } from './question-sampling.tsx'

export interface QuestionProps {
  readonly question: QuestionFacts
  /** Moves the focus to the text of the question. */
  readonly takesFocus?: boolean
  /** Puts the question aside, without an answer. */
  readonly onLater?: () => void
}

/** One question, complete, with its answers: in the chat, in Waiting, and wherever else a person meets it. */
export function QuestionView(props: QuestionProps) {
  const { id, asked, state } = props.question
  // Another question, or its end, begins anew: nothing of one must answer another.
  const key = `${id} ${state}`
  switch (asked.kind) {
    case 'approval':
      return <ApprovalQuestion key={key} {...props} asked={asked} />
    case 'elicitation':
      return <FormQuestion key={key} {...props} asked={asked} />
    case 'url':
      return <UrlQuestion key={key} {...props} asked={asked} />
    case 'login':
      return <LoginQuestion key={key} {...props} asked={asked} />
    case 'sampling':
      return <SamplingQuestion key={key} {...props} asked={asked} />
    default:
      return asked satisfies never
  }
}

export type Asked<Kind extends QuestionFacts['asked']['kind']> = Extract<
  QuestionFacts['asked'],
  { readonly kind: Kind }
>
