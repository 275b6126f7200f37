// Part of the shim: it imports nothing.

/**
 * What every client sends: what every child process gets, proxies, and what our own directories and packages are found by.
 * `TERM` and variables of the session are not among it: no server has a terminal, and with them two clients of one folder
 * would hardly ever be equal.
 */
export const commonVariables: readonly string[] = (
  'HOME LOGNAME USER PATH SHELL LANG LC_* TZ TMPDIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME ' +
  'XDG_RUNTIME_DIR XDG_CONFIG_DIRS XDG_DATA_DIRS HTTP_PROXY http_proxy HTTPS_PROXY https_proxy NO_PROXY no_proxy ' +
  'ALL_PROXY all_proxy PLUGBOARD_CONFIG PLUGBOARD_CREDENTIALS PLUGBOARD_DATABASE_URL npm_config_cache ' +
  `NPM_CONFIG_CACHE UV_TOOL_DIR PIPX_HOME${
    process.platform === 'win32'
      ? ' APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMFILES SYSTEMDRIVE ' +
        'SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR'
      : ''
  }`
).split(' ')
