import type { OpenedApp } from '../../../../src/client.ts'
import { theme } from '../../state/settings.ts'

/** Our tokens under the names that apps know; all colors are given, each for both themes. */
const tokens: Readonly<Record<string, string>> = {
  'background-primary': '--panel',
  'background-secondary': '--bg',
  'background-tertiary': '--sunk',
  'background-inverse': '--text',
  'background-ghost': '--hover',
  'background-info': '--accent-soft',
  'background-danger': '--bad-soft',
  'background-success': '--ok-soft',
  'background-warning': '--warn-soft',
  'background-disabled': '--sunk',
  'text-primary': '--text',
  'text-secondary': '--dim',
  'text-tertiary': '--dim',
  'text-inverse': '--panel',
  'text-ghost': '--dim',
  'text-info': '--accent',
  'text-danger': '--bad',
  'text-success': '--ok',
  'text-warning': '--warn',
  'text-disabled': '--dim',
  'border-primary': '--line',
  'border-secondary': '--line-strong',
  'border-tertiary': '--line',
  'border-inverse': '--panel',
  'border-ghost': '--line',
  'border-info': '--accent',
  'border-danger': '--bad',
  'border-success': '--ok',
  'border-warning': '--warn',
  'border-disabled': '--line',
  'ring-primary': '--accent',
  'ring-secondary': '--line-strong',
  'ring-inverse': '--panel',
  'ring-info': '--accent',
  'ring-danger': '--bad',
  'ring-success': '--ok',
  'ring-warning': '--warn',
}

/** Whether the page is dark now, by the person's choice or that of their system. */
export function isDark(): boolean {
  return theme.value === 'system'
    ? matchMedia('(prefers-color-scheme: dark)').matches
    : theme.value === 'dark'
}

export interface Shown {
  readonly app: Pick<OpenedApp, 'definition'>
  readonly call: string
  readonly width: number
  readonly isFull: boolean
}

/** What an app is told about the page around it. */
export function appContext({ app, call, width, isFull }: Shown): object {
  const style = getComputedStyle(document.documentElement)
  const valueOf = (token: string) => style.getPropertyValue(token).trim()
  const colors = Object.entries(tokens).map(([name, token]) => [`--color-${name}`, valueOf(token)])
  const isTouch = matchMedia('(pointer: coarse)').matches
  return {
    toolInfo: { id: call, tool: app.definition },
    theme: isDark() ? 'dark' : 'light',
    styles: {
      variables: {
        ...Object.fromEntries(colors),
        '--font-sans': valueOf('--sans'),
        '--font-mono': valueOf('--mono'),
        '--border-radius-sm': valueOf('--radius'),
        '--border-radius-md': valueOf('--frame-radius'),
        '--border-width-regular': '1px',
      },
    },
    displayMode: isFull ? 'fullscreen' : 'inline',
    availableDisplayModes: ['inline', 'fullscreen'],
    containerDimensions: isFull ? { width, height: innerHeight - 40 } : { width, maxHeight: 4000 },
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: 'plugboard',
    platform: 'web',
    deviceCapabilities: { touch: isTouch, hover: !isTouch },
  }
}
