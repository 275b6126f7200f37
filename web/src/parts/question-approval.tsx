import { useState } from 'preact/hooks'
import type { Field } from '../../../src/client.ts'
import { escapeLine } from '../../../src/surfaces/terminal/escape.ts'
import { addresses } from '../state/addresses.ts'
import { send } from '../state/client.ts'
import { ArgumentList } from './argument-list.tsx'
import { FieldForm } from './field-form.tsx'
import { draftOf, readDraft, textProblems } from './form-draft.ts'
import { AnswerButton, QuestionFrame, useReply } from './question-frame.tsx'
import type { QuestionKeys, Replying } from './question-frame.tsx'
import type { Asked, QuestionProps } from './question-view.tsx'

interface ApprovalProps extends QuestionProps {
  readonly asked: Asked<'approval'>
}

/** `decide` after another one; at first there is none. */
type Mode = 'decide' | 'always' | { readonly form: Field } | undefined

/** Whether a tool may run: all that it would get, the rule that asks, and how far a yes goes. */
export function ApprovalQuestion({ question, asked, takesFocus = false }: ApprovalProps) {
  const replying = useReply(question)
  const [mode, setMode] = useState<Mode>()
  const { reply, problem } = replying
  const edit = async (): Promise<void> => setMode({ form: await formOf(asked.ref) })
  const canAllow = asked.isWhole
  const isDeciding = mode === undefined || mode === 'decide'
  const keys: QuestionKeys = {
    r: () => reply({ grant: 'no' }),
    ...(canAllow && isDeciding && { a: () => reply({ grant: 'once' }) }),
    ...(asked.canEdit && isDeciding && { e: () => void edit() }),
    ...(canAllow &&
      isDeciding &&
      question.conversation !== undefined && { c: () => reply({ grant: 'conversation' }) }),
  }
  // What had the focus is gone with the buttons before.
  const focus = mode === undefined ? takesFocus : typeof mode === 'object' ? 'edit' : mode
  const frame = { question, keys, problem, takesFocus: focus, marks: asked.marks }
  if (typeof mode === 'object')
    return (
      <EditedApproval
        {...frame}
        asked={asked}
        form={mode.form}
        replying={replying}
        onBack={() => setMode('decide')}
      />
    )
  const decide = (
    <ApprovalButtons
      question={question}
      asked={asked}
      replying={replying}
      onAlways={() => setMode('always')}
      onEdit={() => void edit()}
    />
  )
  return (
    <QuestionFrame
      {...frame}
      buttons={
        mode === 'always' ? (
          <AlwaysButtons asked={asked} replying={replying} onBack={() => setMode('decide')} />
        ) : (
          decide
        )
      }
    >
      <ArgumentList args={asked.args} />
      {!canAllow && (
        <p class="question-warning">
          It holds a long text, or something that looks like a secret, that is not shown here. It can be
          refused here, and allowed in the terminal that asked.
        </p>
      )}
      <Rule asked={asked} />
    </QuestionFrame>
  )
}

function Rule({ asked }: { readonly asked: ApprovalProps['asked'] }) {
  const { rule, reason } = asked
  if (!rule) return <p class="question-note">{escapeLine(reason)}</p>
  return (
    <p class="question-note">
      Rule that asked: <code>{escapeLine(rule.text)}</code>
      {rule.place && (
        <>
          {' · '}
          <a class="mono" href={addresses.configFile(rule.place.file, rule.place.line)}>
            {rule.place.shown}
          </a>
        </>
      )}
      {reason !== '' && <> · {escapeLine(reason)}</>}
    </p>
  )
}

function ApprovalButtons({
  question,
  asked,
  replying,
  onAlways,
  onEdit,
}: ApprovalProps & {
  readonly replying: Replying
  readonly onAlways: () => void
  readonly onEdit: () => void
}) {
  const { reply } = replying
  const refuse = (
    <AnswerButton
      label="Refuse"
      letter="R"
      replying={replying}
      command={question.command}
      onPress={() => reply({ grant: 'no' })}
    />
  )
  if (!asked.isWhole) return <div class="buttons">{refuse}</div>
  return (
    <div class="buttons">
      <AnswerButton
        label="Allow once"
        letter="A"
        isPrimary
        replying={replying}
        command={question.command}
        onPress={() => reply({ grant: 'once' })}
      />
      {question.conversation !== undefined && (
        <AnswerButton
          label="In this conversation"
          letter="C"
          replying={replying}
          command={question.command}
          onPress={() => reply({ grant: 'conversation' })}
        />
      )}
      {asked.always !== undefined && (
        <AnswerButton label="Always…" replying={replying} command={question.command} onPress={onAlways} />
      )}
      {asked.canEdit && (
        <AnswerButton
          label="Edit…"
          letter="E"
          replying={replying}
          command={question.command}
          onPress={onEdit}
        />
      )}
      {refuse}
    </div>
  )
}

/** The rule is shown before it is written: a yes for ever needs a second click. */
function AlwaysButtons({
  asked,
  replying,
  onBack,
}: {
  readonly asked: ApprovalProps['asked']
  readonly replying: Replying
  readonly onBack: () => void
}) {
  return (
    <div class="question-always">
      <p>{escapeLine(asked.always ?? '')}</p>
      <div class="buttons">
        <AnswerButton
          label="Allow always"
          isPrimary
          replying={replying}
          onPress={() => replying.reply({ grant: 'always' })}
        />
        <AnswerButton label="Back" onPress={onBack} />
      </div>
    </div>
  )
}

/** The form of the tool; one box of JSON if the tool is not known any more. */
async function formOf(ref: string): Promise<Field> {
  try {
    return (await send('GET /api/tools/:ref', { params: { ref } })).form
  } catch {
    return { kind: 'json', name: '', title: 'Arguments', isRequired: true, signature: '' }
  }
}

function EditedApproval({
  asked,
  form,
  replying,
  onBack,
  ...frame
}: Omit<Parameters<typeof QuestionFrame>[0], 'children' | 'buttons'> & {
  readonly asked: ApprovalProps['asked']
  readonly form: Field
  readonly replying: Replying
  readonly onBack: () => void
}) {
  const [draft, setDraft] = useState(() => draftOf(asked.args))
  const wrong = textProblems(draft)
  const allow = (): void => {
    if (wrong.length === 0) replying.reply({ grant: 'once', args: readDraft(form, draft) ?? {} })
  }
  return (
    <QuestionFrame
      {...frame}
      buttons={
        <div class="buttons">
          <AnswerButton label="Allow these once" isPrimary replying={replying} onPress={allow} />
          <AnswerButton label="Back" onPress={onBack} />
        </div>
      }
    >
      <FieldForm
        id={`edit-${frame.question.id}`}
        field={form}
        draft={draft}
        onChange={setDraft}
        problems={[...wrong, ...replying.problems]}
      />
    </QuestionFrame>
  )
}
