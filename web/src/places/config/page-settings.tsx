import type { Theme } from '../../state/settings.ts'
import { singleKeys, theme } from '../../state/settings.ts'

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

/** Settings of this browser; no file is written. */
export function PageSettings() {
  return (
    <>
      <h1>This page</h1>
      <p class="dim">Kept in this browser, for all tabs.</p>
      <fieldset class="choice">
        <legend>Colors</legend>
        {themes.map(([value, title]) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              checked={theme.value === value}
              onChange={() => (theme.value = value)}
            />
            {title}
          </label>
        ))}
      </fieldset>
      <fieldset class="choice">
        <legend>Keys</legend>
        <label>
          <input
            class="switch"
            type="checkbox"
            role="switch"
            checked={singleKeys.value === 'on'}
            onChange={(event) => (singleKeys.value = event.currentTarget.checked ? 'on' : 'off')}
          />
          <span>
            Single keys, such as <kbd>j</kbd>, <kbd>r</kbd> and <kbd>g</kbd> <kbd>s</kbd>
          </span>
        </label>
        <p class="dim small">Keys with Ctrl, arrows, Enter and Esc always work.</p>
      </fieldset>
    </>
  )
}
