import { isAbsolute } from 'node:path'
import { createQuestionDesk, createSample, followLogins } from '../../../../agent.ts'
import type { AgentModel, QuestionEvent, Usage } from '../../../../agent.ts'
import type { Approve, Host, HostOptions } from '../../../../index.ts'
import { believePlatform, readSettings } from '../../../../internal.ts'
import type { Questions as StoredQuestions } from '../../../../store.ts'
import { askApproval } from '../../../terminal/approval.ts'
import { createStyle } from '../../../terminal/style.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { promptsOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import type { WaitLine } from '../../output/waiting.ts'

interface RunQuestionsOptions {
  readonly cli: Cli
  readonly output: Output
  readonly waitLine: WaitLine
  readonly model: AgentModel
  readonly host: () => Host | undefined
  /** Where questions wait for an answer of another terminal; absent if nothing is kept. */
  readonly stored?: StoredQuestions | undefined
  readonly conversation: () => string | undefined
  readonly on: (event: QuestionEvent) => void
  /** Receives what servers used of the model. */
  readonly onUsed: (usage: Usage) => void
  /** Called if the person cancels a question: the run ends. */
  readonly onCancel: () => void
}

export interface RunQuestions {
  readonly callbacks: Pick<HostOptions, 'approve' | 'elicit' | 'sample'>
  /** A login that a server needs can be answered in another terminal, and the run goes on with it. */
  followLogins(host: Host): Disposable
  close(): Promise<void>
}

/** The callbacks of a run in a terminal: it asks there, and a question can also be answered in another terminal. */
export async function openRunQuestions(options: RunQuestionsOptions): Promise<RunQuestions> {
  const { cli, output, waitLine, model, host, stored, conversation, on, onCancel } = options
  const [{ createQuestions, Turns }, { createElicit, refuseElicitation }, { createSampleApproval }] =
    await Promise.all([
      import('../../../shell/questions.ts'),
      import('../../../shell/elicit.ts'),
      import('../../../shell/person-callbacks.ts'),
    ])
  const questions = createQuestions({
    turns: new Turns(),
    notify: (text) => output.note(text),
    show: (text) => output.show(text),
    promptsFor: (signal) => ({ ...promptsOf(cli, signal), [Symbol.dispose]: () => undefined }),
    onWanted: () => undefined,
    onAsking: (isAsking) => waitLine.mute(isAsking),
  })
  const approve: Approve = async (question, { signal }) => {
    const answer = await questions.ask({ server: question.tool.server, signal }, (dialog) =>
      askApproval(question, { ...dialog, conversation: 'yes, in this conversation' }),
    )
    if (answer === 'refused') return 'no'
    if (!answer.cancelled) return answer.value
    // Withdrawn questions are cancelled too.
    if (!signal?.aborted) onCancel()
    return 'no'
  }
  const placeOf = (server: string): string => {
    const found = host()?.discovery.servers.find(({ name }) => name === server)
    // Servers of --demo, --stdio and --url are in no file.
    return found && isAbsolute(found.origin.file) ? output.notes.path(found.origin.file) : 'the command line'
  }
  const { platform } = await believePlatform({ ...cli.platform })
  const { settings } = await readSettings(platform)
  const desk = createQuestionDesk({
    local: {
      approve,
      elicit: createElicit({
        questions,
        style: () => createStyle({ env: cli.process.env, isTTY: true }),
        placeOf,
      }),
      approveSample: createSampleApproval(questions),
    },
    refuse: refuseElicitation,
    placeOf,
    conversation,
    on,
    ...(stored && { questions: stored }),
  })
  return {
    callbacks: {
      approve: desk.approve,
      elicit: desk.elicit,
      sample: createSample({
        model,
        approve: desk.approveSample,
        budget: settings.sampling ?? {},
        onUsed: ({ usage }) => options.onUsed(usage),
        onRejected: ({ server, reason }) => output.note(`"${server}" may not use the model now: ${reason}`),
      }),
    },
    followLogins: (opened) => followLogins(opened, desk),
    close: () => desk.close(),
  }
}
