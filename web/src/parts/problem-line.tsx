import type { ComponentChildren } from 'preact'
import type { Problem } from '../../../src/client.ts'
import { addresses } from '../state/addresses.ts'
import { ShapeMark } from './state-mark.tsx'

interface ProblemLineProps {
  readonly problem: Problem
  /** Names the place, as a link; not where the problem stands in its line. */
  readonly hasPlace?: boolean
  readonly children?: ComponentChildren
}

/** A problem of the configuration: severity by shape and word, message, hint, and the code that the reference explains. */
export function ProblemLine({ problem, hasPlace = false, children }: ProblemLineProps) {
  const { severity, message, hint, place, code, about } = problem
  const { tone, shape, word } = looks[severity]
  return (
    <div class="problem-line">
      <span class={`state tone-${tone}`}>
        <ShapeMark shape={shape} />
        {word}
      </span>
      <div>
        <p>
          {message}{' '}
          <span class="dim mono" title={about}>
            {code}
          </span>
        </p>
        {hasPlace && place && (
          <p>
            <a class="mono" href={addresses.configFile(place.file, place.line)}>
              {place.shown}
            </a>
          </p>
        )}
        {hint !== undefined && <p class="dim">{hint}</p>}
        {children}
      </div>
    </div>
  )
}

const looks = {
  error: { tone: 'bad', shape: 'triangle', word: 'error' },
  warn: { tone: 'warn', shape: 'square', word: 'warning' },
  info: { tone: 'dim', shape: 'ring', word: 'note' },
} as const satisfies Readonly<Record<Problem['severity'], object>>
