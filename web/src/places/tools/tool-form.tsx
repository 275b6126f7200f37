import type { ComponentChildren } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { ToolDetail } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { CallOutcome } from '../../parts/call-outcome.tsx'
import { FieldForm } from '../../parts/field-form.tsx'
import { emptyDraft, readDraft, textProblems } from '../../parts/form-draft.ts'
import type { Draft } from '../../parts/form-draft.ts'
import { shownProblems } from '../../parts/form-problems.ts'
import { ErrorLine } from '../../parts/messages.tsx'
import { announce } from '../../state/announce.ts'
import { useAction, useAnswer } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { useKeys } from '../../state/keys.ts'
import { FormTools } from './form-tools.tsx'
import { keptToolAt } from './kept-tool.ts'
import { RecentCalls } from './recent-calls.tsx'
import { fieldKinds, replaceDraft, schemaChange } from './tool-drafts.ts'
import { useCheck } from './use-check.ts'

/** The form of a tool with its result beside it: the arguments stay while it runs and afterwards. */
export function ToolForm({
  tool,
  given,
  head,
  children,
}: {
  readonly tool: ToolDetail
  readonly given: string | undefined
  readonly head: ComponentChildren
  readonly children: ComponentChildren
}) {
  const { ref } = tool.row
  const kept = useMemo(() => keptToolAt(ref, given), [ref, given])
  const { draft, call, before } = kept.value
  const box = useRef<HTMLDivElement>(null)
  const [isTried, setTried] = useState(false)
  const args = readDraft(tool.form, draft) ?? {}
  const { problems, check } = useCheck(ref, args)
  const wrong = [...textProblems(draft), ...shownProblems(problems, { value: args, isTried })]
  const detail = useAnswer(
    'GET /api/calls/:call',
    { params: { call: call ?? '' } },
    {
      on: ['call.changed'],
      when: (event) => event.type === 'call.changed' && event.call.id === call,
      isOff: call === undefined,
    },
  )
  const state = call === undefined ? undefined : detail.value?.call.state
  const isRunning = state === 'running' || state === 'waits'

  const fields = fieldKinds(tool.form)
  const change = schemaChange(kept.value.fields, fields)
  const onChange = (edit: (draft: Draft) => Draft) => {
    kept.value = { ...kept.value, draft: edit(kept.value.draft), fields: kept.value.fields ?? fields }
  }

  const run = useAction(async () => {
    if (isRunning) return
    const found = [...textProblems(kept.value.draft), ...(await check())]
    setTried(true)
    if (found.length > 0) {
      announce(`${found.length === 1 ? 'One problem' : `${found.length} problems`} in the arguments.`)
      requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
      return
    }
    const started = await send('POST /api/calls', { body: { ref, args } })
    kept.value = { ...kept.value, call: started.call.id, fields }
    setTried(false)
  })
  const stop = useAction(() => send('DELETE /api/calls/:call', { params: { call: call ?? '' } }))
  const runKey = { 'Ctrl+Enter': { does: `Run ${tool.row.tool}`, run: () => void run.run() } }
  // Bound while it runs only: otherwise Esc goes back to the list.
  const stopKey = {
    Escape: { does: 'Stop the call', run: () => void stop.run(), whileTyping: true as const },
  }
  useKeys(isRunning ? { ...runKey, ...stopKey } : runKey)

  return (
    <>
      <header class="tool-head">
        <div class="tool-run">
          {/* Always there, so that nothing moves when it runs. */}
          <Button
            class={isRunning ? '' : 'is-away'}
            onPress={() => void stop.run()}
            keyName="Esc"
            about="Stop the call"
          >
            Stop
          </Button>
          <Button
            kind="primary"
            keyName="Ctrl ⏎"
            onPress={() => void run.run()}
            command={`plugboard call ${ref}`}
            {...(isRunning && { refused: 'It runs already' })}
          >
            Run
          </Button>
        </div>
        <div class="tool-about">{head}</div>
      </header>
      {children}
      {change !== undefined && (
        <p class="tool-notice" role="status">
          <span class="tool-notice-text">{change} What you entered is kept.</span>
          <Button onPress={() => (kept.value = { ...kept.value, fields })}>Good</Button>
        </p>
      )}
      <div class="tool-panes">
        <section class="tool-pane" aria-label="Arguments" ref={box}>
          {before && (
            <p class="tool-notice">
              <span class="tool-notice-text">The arguments were replaced.</span>
              <Button
                onPress={() => {
                  const { before: _taken, ...rest } = kept.value
                  kept.value = { ...rest, draft: before }
                }}
              >
                Take back
              </Button>
            </p>
          )}
          <FieldForm
            id={`tool-${ref}`}
            field={tool.form}
            draft={draft}
            onChange={onChange}
            problems={wrong}
          />
          <ErrorLine error={run.error} />
          <FormTools
            tool={tool}
            draft={draft}
            args={args}
            onChange={onChange}
            onReplace={(value) => (kept.value = { ...replaceDraft(kept.value, value), fields })}
            onClear={() =>
              (kept.value = { ...replaceDraft(kept.value, undefined), draft: emptyDraft, fields })
            }
          />
          <RecentCalls
            toolRef={ref}
            server={tool.row.server}
            current={call}
            onChoose={(id) => (kept.value = { ...kept.value, call: id })}
          />
        </section>
        <section class="tool-pane tool-result" aria-label="Result" aria-busy={isRunning}>
          {call === undefined ? (
            <p class="dim tool-waits">
              Run
              <span class="keys-only">
                {' '}
                or <kbd>Ctrl Enter</kbd>
              </span>
              : the result stands here, the arguments stay.
            </p>
          ) : (
            <CallOutcome
              detail={detail.value}
              error={detail.error}
              args={args}
              onStop={() => void stop.run()}
              onArguments={(value) => (kept.value = { ...replaceDraft(kept.value, value), fields })}
              onAgain={() => void run.run()}
            />
          )}
          <ErrorLine error={stop.error} />
        </section>
      </div>
    </>
  )
}
