import { escapeLine, escapeText } from '../../../src/surfaces/terminal/escape.ts'
import { AnswerButton, QuestionFrame, useReply } from './question-frame.tsx'
import type { QuestionKeys } from './question-frame.tsx'
import type { Asked, QuestionProps } from './question-view.tsx'

/** Whether a server may use the model: everything that the model would get (T21). */
export function SamplingQuestion({
  question,
  asked,
  takesFocus = false,
}: QuestionProps & { readonly asked: Asked<'sampling'> }) {
  const replying = useReply(question)
  const { reply, problem } = replying
  const { conversation, command } = question
  const { system, messages, maxTokens, isWhole } = asked
  const keys: QuestionKeys = {
    r: () => reply({ grant: 'no' }),
    ...(isWhole && { a: () => reply({ grant: 'once' }) }),
    ...(isWhole && conversation !== undefined && { c: () => reply({ grant: 'conversation' }) }),
  }
  return (
    <QuestionFrame
      question={question}
      keys={keys}
      problem={problem}
      takesFocus={takesFocus}
      buttons={
        <div class="buttons">
          {isWhole && (
            <AnswerButton
              label="Allow once"
              letter="A"
              isPrimary
              replying={replying}
              command={command}
              onPress={() => reply({ grant: 'once' })}
            />
          )}
          {isWhole && conversation !== undefined && (
            <AnswerButton
              label="In this conversation"
              letter="C"
              replying={replying}
              command={command}
              onPress={() => reply({ grant: 'conversation' })}
            />
          )}
          <AnswerButton
            label="Refuse"
            letter="R"
            replying={replying}
            command={command}
            onPress={() => reply({ grant: 'no' })}
          />
        </div>
      }
    >
      <dl class="arguments" tabIndex={0} aria-label="What the model gets">
        {system !== undefined && <Said role="instructions" text={system} />}
        {messages.map(({ role, text }, at) => (
          <Said key={at} role={role} text={text} />
        ))}
      </dl>
      {!isWhole && (
        <p class="question-warning">
          A part is not shown here. It can be refused here, and allowed in the terminal that asked.
        </p>
      )}
      {maxTokens !== undefined && <p class="question-note">for up to {maxTokens} tokens</p>}
    </QuestionFrame>
  )
}

function Said({ role, text }: { readonly role: string; readonly text: string }) {
  return (
    <div>
      <dt>{escapeLine(role)}</dt>
      <dd>
        <span class="argument-text">{escapeText(text)}</span>
      </dd>
    </div>
  )
}
