"""What this product promises about who may do and see what: each line with the tests that show it, all of which exist."""

import ast
from pathlib import Path

import pytest

from tests.support.rules import ROOT

GATEWAY, DISCOVERY, LOG = "services/gateway/test_", "services/discovery/test_", "services/log/test_"
LINES: dict[str, dict[str, tuple[str, ...]]] = {
    "handles, reserved names, constant-time answers": {
        f"{GATEWAY}signing_in.py": (
            "test_a_bad_registration_says_what_is_wrong",
            "test_an_unknown_handle_is_answered_like_a_wrong_password",
            "test_an_unknown_handle_costs_as_much_work",
        ),
    },
    "one-time codes, a picture of the secret, recovery codes": {
        f"{GATEWAY}two_factor.py": (
            "test_the_window_is_one_step_to_each_side_and_no_more",
            "test_the_secret_is_shown_as_a_picture_and_as_text",
            "test_a_recovery_code_works_once_however_it_is_typed",
        ),
    },
    "sessions are listed, and revoked at once in every gateway and socket": {
        f"{GATEWAY}sessions.py": ("test_what_is_ended_is_worth_nothing_at_once",),
        f"{GATEWAY}sockets.py": (
            "test_signing_out_closes_the_sessions_sockets_in_every_gateway_and_no_others",
            "test_a_session_that_ends_while_postgres_can_not_tell_is_noticed_when_it_can",
        ),
    },
    "recovery mail, password reset, and without a mail server neither": {
        f"{GATEWAY}recovery.py": (
            "test_an_address_counts_once_its_owner_opened_the_link",
            "test_without_a_mail_server_there_is_nothing_of_this",
        ),
        "services/admin/test_users_command.py": (
            "test_a_reset_is_good_for_half_an_hour_and_the_one_before_it_no_more",
        ),
    },
    "attempts are limited by handle and by address": {
        f"{GATEWAY}rate_limits.py": (
            "test_two_hundred_attempts_at_once_at_one_handle_are_ten",
            "test_two_hundred_attempts_at_once_from_one_network_are_ten",
            "test_two_hundred_people_at_once_wait_in_a_queue_that_ends",
        ),
    },
    "passkeys": {f"{GATEWAY}passkeys.py": ("test_one_signs_in_by_a_passkey_and_nothing_else",)},
    "who may register, and who is administrator": {
        f"{GATEWAY}links.py": (
            "test_where_registration_is_closed_no_link_opens_it",
            "test_the_first_user_is_administrator_and_only_such_may_invite",
        ),
    },
    "proxies are believed only when they are trusted": {
        f"{GATEWAY}proxies.py": ("test_by_default_nobody_is_believed",),
    },
    "ten discoveries a minute": {f"{GATEWAY}discovering_accounts.py": ("test_ten_addresses_a_minute_are_looked_for",)},
    "session fixation": {
        f"{GATEWAY}sessions.py": ("test_a_session_planted_before_signing_in_is_not_the_one_afterwards",),
    },
    "changes only with the token, from our own pages": {
        f"{GATEWAY}csrf_everywhere.py": ("test_no_change_without_the_token", "test_no_change_for_another_sites_page"),
    },
    "cookies' attributes": {
        f"{GATEWAY}signing_in.py": ("test_the_session_cookie_is_for_this_host_over_tls_and_not_for_scripts",),
    },
    "a content security policy on every page": {
        f"{GATEWAY}csrf_everywhere.py": (
            "test_every_page_has_the_policy_of_the_client",
            "test_every_answer_of_the_api_has_a_policy_that_allows_nothing",
        ),
    },
    "forty hostile hosts, names that change their mind, redirects": {
        f"{DISCOVERY}reach.py": (
            "test_a_hostile_host_is_refused_before_anything_is_sent",
            "test_a_name_that_changes_its_mind_is_asked_once",
        ),
        f"{DISCOVERY}http.py": ("test_a_redirect_is_checked_as_the_first_address_was",),
    },
    "oversized and slow autoconfig, entity bombs": {
        f"{DISCOVERY}http.py": (
            "test_what_is_too_large_is_given_up_while_it_comes",
            "test_a_page_that_drips_is_given_up_in_time",
        ),
        f"{DISCOVERY}clientconfig.py": ("test_a_hostile_file_is_refused_at_once",),
    },
    "passwords are sealed in the gateway and opened in sync": {
        f"{GATEWAY}connecting_accounts.py": ("test_only_sync_can_open_what_the_gateway_sealed",),
        f"{GATEWAY}discovering_accounts.py": ("test_only_sync_can_open_the_passwords_that_are_tried",),
    },
    "the vault, and a new master key while everything works": {
        "services/vault/test_vault.py": ("test_what_an_account_keeps_opens_for_it_alone",),
        "services/admin/test_vault_command.py": ("test_secrets_move_to_the_new_key_while_sync_works",),
    },
    "secrets are shown nowhere": {
        "security/test_secrets_are_found.py": ("test_whatever_shows_a_secret_fails_and_nothing_else_does",),
        "architecture/test_secrets_show_nothing.py": ("test_a_secret_is_in_no_repr",),
    },
    "one refresh, and what nobody knows the end of is asked once": {
        "services/oauth/test_refreshing.py": (
            "test_workers_that_want_one_at_once_refresh_it_once",
            "test_what_nobody_knows_the_end_of_is_asked_once",
            "test_a_provider_is_left_alone_for_as_long_as_it_asks_but_not_for_ever",
        ),
        "services/oauth/test_tokens.py": ("test_trouble_means_no_more_than_it_says",),
        f"{GATEWAY}signing_in_at_providers.py": ("test_a_state_is_good_in_its_own_session",),
        "end_to_end/browser/test_oauth_in_the_browser.py": (
            "test_by_buttons_alone_from_the_wizard_to_a_lost_grant_and_back",
        ),
    },
    "what a person removes is gone from every store": {
        "security/test_nothing_stays.py": (
            "test_nothing_of_a_removed_account_is_in_any_store",
            "test_nothing_of_who_left_is_in_any_store",
        ),
    },
    "settings take effect": {
        f"{GATEWAY}settings.py": (
            "test_a_conversation_comes_in_the_order_that_its_reader_set",
            "test_a_sender_who_is_taken_off_the_list_is_asked_for_again",
        ),
        f"{GATEWAY}sending.py": ("test_the_undo_window_is_the_users_own",),
        "end_to_end/browser/test_security_pages.py": (
            "test_times_are_those_of_the_readers_zone",
            "test_the_page_fits_a_phone_and_speaks_polish",
        ),
    },
    "each process has its own role and no other's rights": {
        "services/state/test_migrations.py": ("test_a_role_is_refused_what_is_not_its_own",),
        f"{LOG}permissions.py": ("test_a_role_may_not_write_what_another_says",),
    },
    "nothing of one user reaches another": {
        f"{GATEWAY}isolation.py": ("test_another_user_finds_nothing",),
        f"{GATEWAY}sockets.py": ("test_what_is_not_for_browsers_or_not_whose_it_seems_is_not_relayed",),
        "security/test_two_people.py": (
            "test_events_of_arriving_mail_reach_its_owner_alone",
            "test_her_links_open_nothing_for_him_or_a_stranger",
        ),
    },
}


def written_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("line", LINES)
def test_a_promise_has_its_tests(line: str) -> None:
    assert LINES[line]
    for file, names in LINES[line].items():
        assert names
        assert set(names) <= written_in(ROOT / "tests" / file), file
