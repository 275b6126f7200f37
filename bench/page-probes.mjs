// Functions that run in the page that is measured, before its own code. Each is sent as text, so it uses nothing from outside.

/** Notes in `usableMs` when an element that fits is drawn, since the navigation began. */
export function noteUsable(selector) {
  const look = () => {
    if (globalThis.usableMs !== undefined || !document.querySelector(selector)?.checkVisibility()) return
    observer.disconnect()
    requestAnimationFrame(() => (globalThis.usableMs ??= performance.now()))
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { subtree: true, childList: true, attributes: true })
}

/**
 * Notes the frame in which each event of a call arrives, before the page sees it, and the frame in which its row shows it. A
 * later state of the same call shows the earlier ones too.
 */
export function countArrivals() {
  let frame = 0
  let pending = new Map()
  let drawn = []
  let received = 0
  let firstFrame = { frame: 0, at: 0 }
  const count = () => {
    frame++
    requestAnimationFrame(count)
  }
  requestAnimationFrame(count)

  const note = (text) => {
    const event = JSON.parse(text)
    received++
    if (event.type !== 'call.changed') return
    const { id, word } = event.call
    const arrived = { word, frame, at: performance.now() }
    pending.set(id, [...(pending.get(id) ?? []), arrived])
  }
  const originalFetch = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const response = await originalFetch(input, init)
    if (!String(input?.url ?? input).includes('/api/events')) return response
    const decoder = new TextDecoder()
    let rest = ''
    const noted = new TransformStream({
      transform(chunk, controller) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
        rest = lines.pop()
        for (const line of lines) if (line.startsWith('data:')) note(line.slice(5))
        controller.enqueue(chunk)
      },
    })
    return new Response(response.body.pipeThrough(noted), response)
  }

  const rowOf = (id) => document.querySelector(`[data-key="${id}"]`)
  const observer = new MutationObserver(() => {
    for (const [id, arrivals] of pending) {
      const row = rowOf(id)
      if (!row) continue
      for (const arrived of arrivals) arrived.wasInSight ||= frame > arrived.frame
      const last = arrivals.findLastIndex(({ word }) => row.textContent.includes(word))
      for (const arrived of arrivals.splice(0, last + 1))
        drawn.push({ frames: frame - arrived.frame, ms: performance.now() - arrived.at })
      if (arrivals.length === 0) pending.delete(id)
    }
  })
  observer.observe(document, { subtree: true, childList: true, characterData: true })

  globalThis.forgetArrivals = () => {
    pending = new Map()
    drawn = []
    received = 0
    firstFrame = { frame, at: performance.now() }
  }
  /**
   * How many events were never in sight: more calls than the list shows came at once, and the list draws only what is in
   * sight. Scrolls through it: each of them has to be there with its state.
   */
  globalThis.countHidden = async () => {
    observer.disconnect()
    const hidden = new Map([...pending].filter(([, arrivals]) => !arrivals.some((each) => each.wasInSight)))
    const frames = async () => {
      for (let wait = 0; wait < 3; wait++) await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    const all = [...hidden.values()].flat().length
    let list = document.querySelector('[data-key]')
    while (list && list.scrollHeight <= list.clientHeight + 1) list = list.parentElement
    for (let top = 0; list && hidden.size > 0 && top < list.scrollHeight; top += list.clientHeight) {
      list.scrollTop = top
      await frames()
      for (const [id, arrivals] of hidden)
        if (rowOf(id)?.textContent.includes(arrivals.at(-1).word)) hidden.delete(id)
    }
    return all - [...hidden.values()].flat().length
  }
  globalThis.readArrivals = () => ({
    drawn,
    received,
    waiting: [...pending.values()].flat().length,
    framesPerSecond: ((frame - firstFrame.frame) / (performance.now() - firstFrame.at)) * 1000,
  })
}

/** Shares of the events that were drawn one and two frames after they arrived, and the times of the middle and the slowest. */
export async function countFrames() {
  const { drawn, received, waiting, framesPerSecond } = globalThis.readArrivals()
  const hidden = await globalThis.countHidden()
  const missed = waiting - hidden
  const all = drawn.length + missed
  const within = (frames) => drawn.filter((each) => each.frames <= frames).length / all
  const times = drawn.map(({ ms }) => ms).sort((a, b) => a - b)
  return {
    all,
    received,
    missed,
    hidden,
    framesPerSecond,
    one: within(1),
    two: within(2),
    p50Ms: times[times.length >> 1],
    p99Ms: times[Math.floor(times.length * 0.99)],
  }
}
