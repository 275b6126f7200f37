import { describe, expect, test } from 'vitest'
import type { Progress } from '../../src/index.ts'
import { outcomeOf } from '../support/outcome.ts'
import { namesOf, serverWithTools, npmServer, toDefinition, toolHost } from '../support/tool-host.ts'

describe('tasks: a tool that requires a task (2025-11-25)', () => {
  const research = 'e__simulate-research-query'

  test('call: answers its elicitation, reports its messages as progress and returns its result', async () => {
    const said: Progress[] = []
    const asked: string[] = []
    await using x = await toolHost(
      { e: npmServer('everything', ['stdio']) },
      {
        async elicit({ server, message }) {
          asked.push(`${server}: ${message}`)
          return { action: 'accept', content: { interpretation: 'snake' } }
        },
      },
    )
    await x.host.ready()
    const args = { topic: 'python', ambiguous: true }
    const { text, failed } = await x.host.call(research, args, {
      onProgress: (progress) => void said.push(progress),
    })
    expect({ failed, beginning: text.slice(0, text.indexOf('\n')) }).toEqual({
      failed: false,
      beginning: '# Research Report: python (snake)',
    })
    expect(asked).toEqual([expect.stringMatching(/^e: The research query "python" could have/) as string])
    // The task is polled, so single stages may be missed; what is reported is what the server said, in its order.
    const stages = [
      'Gathering sources...',
      'Analyzing content...',
      'Synthesizing findings...',
      'Found multiple interpretations for "python". Requesting clarification...',
      'Continuing with interpretation: "snake"...',
      'Generating report...',
    ]
    const messages = [...new Set(said.map(({ message }) => message ?? ''))]
    expect(messages).not.toEqual([])
    expect(messages).toEqual(stages.filter((stage) => messages.includes(stage)))
  })

  test('call: aborting cancels the task (C18)', async () => {
    await using x = await toolHost({ e: npmServer('everything', ['stdio']) })
    await x.host.ready()
    const given = new AbortController()
    const called = outcomeOf(
      x.host.call(research, { topic: 'x' }, { signal: given.signal, onProgress: () => given.abort() }),
    )
    expect(await called).toMatchObject({ host: 'call.cancelled', data: { sent: true } })
    const states = async () => {
      const { tasks } = (await x.host.request('e', 'tasks/list', {})) as { tasks: { status: string }[] } // as the protocol defines it
      return tasks.map(({ status }) => status)
    }
    await expect.poll(states).toEqual(['cancelled'])
  })

  test('a server without the tasks capability: only this tool is left out, with a warning', async () => {
    const only = { ...toDefinition('only'), execution: { taskSupport: 'required' } }
    const tools = [
      toDefinition('one'),
      only,
      { ...only, name: 'both', execution: { taskSupport: 'optional' } },
    ]
    await using x = await toolHost({ a: serverWithTools(tools) })
    await x.host.ready()
    expect(namesOf(x.host)).toEqual(['a__both', 'a__one'])
    expect(x.events.filter(({ type }) => type === 'server.warned')).toMatchObject([
      {
        server: 'a',
        message: 'Its tool "only" is left out: it runs only as a task, and the server declares no tasks.',
      },
    ])
  })
})
