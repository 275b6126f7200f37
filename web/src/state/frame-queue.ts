/** Collects values and hands them on together, once per frame: a burst of events is drawn once. */
export function createFrameQueue<T>(
  onBatch: (values: readonly T[]) => void,
  schedule: (run: () => void) => void = nextFrame,
): (values: readonly T[]) => void {
  let waiting: T[] = []
  const flush = (): void => {
    const batch = waiting
    waiting = []
    onBatch(batch)
  }
  return (values) => {
    if (values.length === 0) return
    if (waiting.length === 0) schedule(flush)
    waiting.push(...values)
  }
}

/** Frames do not come in a hidden tab, whose title still counts what waits. */
function nextFrame(run: () => void): void {
  if (document.hidden) setTimeout(run, 250)
  else requestAnimationFrame(run)
}
