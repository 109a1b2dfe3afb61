import { describe, expect, it } from "vitest";

import { authorOf, givenName } from "@/features/thread/author";
import { people } from "@/features/threads/people";
import { initials } from "@/ui/Avatar";

import { aMessage } from "./support/mail";

describe("what one calls a sender", () => {
  it.each([
    ["Maja Wiśniewska", "Maja"],
    ["The Slow Gazette", "The Slow Gazette"],
    ["The Economist", "The Economist"],
    ["GitLab", "GitLab"],
    ["", "maja@example.org"],
  ])("%s is %s", (name, called) => {
    expect(givenName({ name, email: "maja@example.org" })).toBe(called);
  });

  it("is the Sender where nobody is in From", () => {
    const sender = { name: "List", email: "list@example.org" };
    expect(authorOf(aMessage({ from: [], sender: [sender] }))).toBe(sender);
  });
});

describe("who takes part", () => {
  const person = (name: string, email = "x@example.org") => ({ name, email });

  it.each([
    [[person("Maja Wiśniewska")], "Maja Wiśniewska"],
    [[person("Maja Wiśniewska"), person("Noah Okafor"), person("", "no-reply@bank.example")], "Maja, Noah, no-reply"],
    [[person("Maja"), person("Maja")], "Maja"],
    [[], ""],
  ])("%j is %s", (addresses, line) => {
    expect(people(addresses)).toBe(line);
  });
});

describe("initials", () => {
  it.each([
    ["Łukasz Żak", "ŁŻ"],
    ["佐藤 健", "佐健"],
    ["GitLab", "G"],
    ["ada.lindqvist", "AL"],
    ["(no name)", "N"],
    ["", ""],
  ])("of %s are %s", (name, letters) => {
    expect(initials(name)).toBe(letters);
  });
});
