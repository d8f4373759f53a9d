/** Xcode as far as hosts touch it: where it is, and whether its licence was accepted. */
import { type CommandAnswer, complain, type MacCommands, quiet, say } from './command.ts';
import type { MacFiles } from './files.ts';

/** Where macOS keeps the choice. */
const CHOICE = '/var/db/xcode_select_link';
const LICENCE = '/Library/Preferences/com.apple.dt.Xcode.plist';
const NO_LICENCE = 69;

export const createDeveloperTools = (files: MacFiles): MacCommands => ({
  'xcode-select': ({ args: [verb, path = ''], uid }) => {
    if (verb === '-p' || verb === '--print-path') return tellChoice(files);
    if (verb !== '-s' && verb !== '--switch') return complain(1, 'usage: xcode-select -p | -s path');
    if (uid !== 0) return complain(1, 'xcode-select: error: --switch must be run as root');
    if (files.facts(path) === undefined)
      return complain(1, `xcode-select: error: invalid developer directory '${path}'`);
    files.write(CHOICE, path);
    return quiet;
  },
  xcodebuild: ({ args: [verb, what], uid }) => {
    if (files.readText(CHOICE) === undefined)
      return complain(1, "xcode-select: error: tool 'xcodebuild' requires Xcode");
    if (verb === '-license' && what === 'accept' && uid === 0) files.write(LICENCE, '<plist><dict/></plist>\n');
    const isAccepted = files.readText(LICENCE) !== undefined;
    return isAccepted ? quiet : complain(NO_LICENCE, 'You have not agreed to the Xcode license agreements.');
  },
  xcrun: ({ args: [verb, tool = ''] }) => {
    const chosen = files.readText(CHOICE);
    if (verb === '--find' && chosen !== undefined)
      return say(`${chosen}/Toolchains/XcodeDefault.xctoolchain/usr/bin/${tool}`);
    return complain(72, `xcrun: error: unable to find utility "${tool}", not a developer tool or in PATH`);
  },
});

const tellChoice = (files: MacFiles): CommandAnswer => {
  const chosen = files.readText(CHOICE);
  return chosen === undefined
    ? complain(2, 'xcode-select: error: unable to get active developer directory')
    : say(chosen);
};
