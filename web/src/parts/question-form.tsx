import { useMemo } from 'preact/hooks'
import { escapeText } from '../../../src/surfaces/terminal/escape.ts'
import { draftOf as textDraftOf } from '../state/drafts.ts'
import { FieldForm } from './field-form.tsx'
import { emptyDraft, readDraft, textProblems } from './form-draft.ts'
import type { Draft } from './form-draft.ts'
import { AnswerButton, DeclineButtons, QuestionFrame, useReply } from './question-frame.tsx'
import type { Asked, QuestionProps } from './question-view.tsx'

/** What a server asks a person to fill in. What was typed survives another place and a reload. */
export function FormQuestion({
  question,
  asked,
  takesFocus = false,
  onLater,
}: QuestionProps & { readonly asked: Asked<'elicitation'> }) {
  const replying = useReply(question)
  const { reply, problem, problems } = replying
  const kept = useMemo(() => textDraftOf(`question:${question.id}`), [question.id])
  const draft = readKept(kept.value)
  const wrong = textProblems(draft)
  const submit = (): void => {
    if (wrong.length === 0) reply({ action: 'accept', content: readDraft(asked.form, draft) ?? {} })
  }
  const isPending = question.state === 'pending'
  const isSupported = asked.unsupported === undefined
  return (
    <QuestionFrame
      question={question}
      problem={problem}
      takesFocus={takesFocus}
      buttons={
        <div class="buttons">
          {isSupported && (
            <AnswerButton
              label="Send"
              isPrimary
              replying={replying}
              command={question.command}
              onPress={submit}
            />
          )}
          <DeclineButtons question={question} replying={replying} onLater={onLater} />
        </div>
      }
    >
      <blockquote class="question-message">“{escapeText(asked.message)}”</blockquote>
      {!isSupported && <p class="question-warning">{asked.unsupported}</p>}
      {isSupported && isPending && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            submit()
          }}
        >
          <FieldForm
            id={`form-${question.id}`}
            field={asked.form}
            draft={draft}
            onChange={(change) => (kept.value = JSON.stringify(change(readKept(kept.value))))}
            problems={[...wrong, ...problems]}
          />
        </form>
      )}
    </QuestionFrame>
  )
}

function readKept(text: string): Draft {
  if (text === '') return emptyDraft
  try {
    return { ...emptyDraft, ...(JSON.parse(text) as Draft) } // written by this form
  } catch {
    return emptyDraft
  }
}
