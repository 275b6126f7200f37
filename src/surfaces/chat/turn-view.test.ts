import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../agent.ts'
import { createStyle, escapeStyled } from '../terminal/style.ts'
import { inShell } from '../terminal/shell-words.ts'
import { displayWidth } from '../terminal/width.ts'
import { createTurnView } from './turn-view.ts'

const style = createStyle({ env: { NO_COLOR: '1' }, isTTY: true })
const usage = { inputTokens: 3120, outputTokens: 95, cachedTokens: 2000, isEstimated: false, cost: 0.0042 }

/** Draws events on a screen in memory: what stays, and what changes at the bottom. */
function openScreen(width = 60, page?: string) {
  const stays: string[] = []
  let live: readonly string[] = []
  let now = 0
  const work = new Set<() => void>()
  const view = createTurnView(
    {
      canvas: () => ({ style, width, path: (file) => file, proposed: inShell }),
      print(lines, next) {
        stays.push(...lines)
        live = next()
      },
      show: (next) => void (live = next),
      save: (blocks, name) =>
        blocks.flatMap(({ type }) => (type === 'image' ? [`/images/${name}-1.png`] : [])),
      now: () => now,
      after(_, again) {
        work.add(again)
        return { [Symbol.dispose]: () => void work.delete(again) }
      },
    },
    { page },
  )
  return {
    send: (...events: readonly object[]) => {
      for (const event of events) view.onEvent({ at: now, ...event } as AgentEvent)
      const due = Array.from(work)
      work.clear()
      for (const each of due) each()
    },
    wait: (ms: number) => (now += ms),
    end: () => view[Symbol.dispose](),
    stays: () => stays.map((line) => escapeStyled(line)).join('\n'),
    live: () => live.map((line) => escapeStyled(line)).join('\n'),
    pending: () => work.size,
  }
}

const started = {
  type: 'call.started',
  id: '1',
  name: 'files__read',
  ref: 'files/read',
  args: { path: 'a.txt', lines: 3 },
}
const finished = {
  type: 'call.finished',
  id: '1',
  name: 'files__read',
  ref: 'files/read',
  outcome: 'done',
  ms: 12,
}

describe('chat: a turn', () => {
  test('text, calls and the summary stay; the open block, running calls and the status change in place', () => {
    const screen = openScreen()
    screen.send({
      type: 'tools.offered',
      count: 12,
      tokens: 2345,
      mode: 'all',
      added: [],
      removed: [],
      changed: [],
    })
    screen.send({ type: 'step.started', step: 1 }, { type: 'text', text: 'Let me **lo' })
    expect(screen.live()).toBe('\nLet me **lo\n\nanswering · Ctrl-C stops')
    screen.send({ type: 'text', text: 'ok**.' }, started)
    screen.wait(2100)
    screen.send({ type: 'call.progressed', id: '1', progress: 1, total: 3, message: 'reading' })
    expect(screen.live()).toBe(
      '\n○ files/read path="a.txt" lines=3\n  1 of 3 reading · 2 s\n\nrunning · 2 s · Ctrl-C stops',
    )
    screen.send({ ...finished, text: 'one\ntwo\nthree\nfour\nfive\nsix\n', result: '1' })
    screen.send({ type: 'text', text: 'Done.' })
    screen.send({ type: 'turn.finished', outcome: 'done', text: 'Done.', usage, steps: 2 })
    screen.end()
    expect(screen.stays()).toBe(
      [
        '',
        '12 tools offered, about 2.3k tokens',
        '',
        'Let me look.',
        '',
        '● files/read path="a.txt" lines=3',
        '  │ one',
        '  │ two',
        '  │ three',
        '  │ four',
        '  … 2 more lines · 28 bytes · @result:1',
        '',
        'Done.',
        '',
        '2 steps · 2.1 s · 3.1k + 95 tokens (2k cached) · $0.0042',
        '',
      ].join('\n'),
    )
    expect(screen.live()).toBe('')
    expect(screen.pending()).toBe(0)
  })

  test.each([
    [undefined, '  view: plugboard serve, then /mcp open 7'],
    ['http://127.0.0.1:7777', '  view: http://127.0.0.1:7777/calls/7 (/mcp open 7)'],
  ])('a call whose tool has an app says where its view is shown: %s', (page, line) => {
    const screen = openScreen(80, page)
    screen.send(started, { ...finished, text: 'one', app: 'ui://files/read', call: '7' })
    screen.end()
    expect(screen.stays().split('\n').at(-1)).toBe(line)
  })

  test('a failed and a refused call say why; a spilled result and an image say where they are', () => {
    const screen = openScreen()
    screen.send(started, {
      ...finished,
      outcome: 'failed',
      text: '',
      error: {
        code: 'server.failed',
        message: 'The server "files" ended.',
        hint: 'See: plugboard logs files',
      },
    })
    screen.send(
      { ...started, id: '2' },
      {
        ...finished,
        id: '2',
        text: 'head\n…\ntail',
        spilled: { path: '/state/results/7.txt', bytes: 5_400_000 },
        blocks: [{ type: 'image', data: '', mimeType: 'image/png' }],
        result: '2',
      },
    )
    screen.end()
    expect(screen.stays()).toBe(
      [
        '',
        '● files/read path="a.txt" lines=3',
        '  │ The server "files" ended.',
        '  │ See: /mcp logs files',
        '● files/read path="a.txt" lines=3',
        '  │ head',
        '  │ …',
        '  │ tail',
        '  … 5.1 MB · @result:2',
        '  saved: /images/files/read-1.png',
        '  whole result: /state/results/7.txt',
      ].join('\n'),
    )
  })

  test.each([
    [{ outcome: 'cancelled', reason: 'Cancelled.' }, 'Stopped. The conversation is kept.'],
    [
      {
        outcome: 'limit',
        limit: 'steps',
        reason: 'It had 50 steps.',
        hint: 'Raise limits.steps (now 50).',
      },
      'It had 50 steps. Send a prompt to go on from here.',
    ],
    [{ outcome: 'failed', reason: 'The endpoint answered 401.' }, 'The endpoint answered 401.'],
  ])('an end by %j is said in a sentence', (end, sentence) => {
    const screen = openScreen()
    const { cost: _, ...unpriced } = usage
    screen.send({
      type: 'turn.finished',
      text: '',
      usage: { ...unpriced, isEstimated: true },
      steps: 1,
      ...end,
    })
    screen.end()
    expect(screen.stays()).toBe(`\n${sentence}\n1 step · 0 ms · about 3.1k + 95 tokens · price unknown\n`)
  })

  test.each([60, 120])(
    'T18 nothing in an event makes a line wider than %i columns or controls the terminal',
    (width) => {
      const screen = openScreen(width)
      const bad = `\u001B[2J\u001B]0;title\u0007\r\b\u202E${'wide '.repeat(60)}${'x'.repeat(400)}漢字`
      screen.send({ ...started, name: bad, ref: bad, args: { [bad]: [bad] } })
      screen.send({ type: 'call.progressed', id: '1', progress: 1, message: bad })
      const before = screen.live()
      screen.send({
        ...finished,
        name: bad,
        ref: bad,
        text: `${bad}\n${bad}`,
        spilled: { path: bad, bytes: 1 },
        result: bad,
      })
      screen.send(
        { ...started, id: '2' },
        {
          ...finished,
          id: '2',
          outcome: 'refused',
          text: '',
          error: { code: 'call.denied', message: bad, hint: bad },
        },
      )
      screen.send({ type: 'text', text: bad }, { type: 'notice', message: bad, hint: bad })
      screen.send({
        type: 'tools.offered',
        count: 1,
        tokens: 1,
        mode: 'search',
        added: [bad],
        removed: [],
        changed: [],
        reason: bad,
      })
      screen.send({
        type: 'turn.finished',
        outcome: 'failed',
        reason: bad,
        hint: bad,
        text: bad,
        usage,
        steps: 1,
      })
      screen.end()
      for (const line of `${before}\n${screen.stays()}`.split('\n')) {
        expect(displayWidth(line)).toBeLessThanOrEqual(width)
        // eslint-disable-next-line no-control-regex
        expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/)
      }
    },
  )
})
