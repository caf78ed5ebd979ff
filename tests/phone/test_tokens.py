"""A stream token opens one stream, once, within its minute, for its call."""

from __future__ import annotations

from bot.phone.tokens import MAX_TOKENS, TOKEN_LIFE_S, StreamTokens


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_fresh_token_opens_once() -> None:
    tokens = StreamTokens(FakeClock())
    token = tokens.mint("CA1")
    redeemed = tokens.redeem(token)
    assert redeemed is not None
    assert redeemed.fits("CA1")
    assert not redeemed.fits("CA2")
    assert tokens.redeem(token) is None


def test_without_a_call_id_any_call_fits() -> None:
    tokens = StreamTokens(FakeClock())
    redeemed = tokens.redeem(tokens.mint(None))
    assert redeemed is not None
    assert redeemed.fits("v3:anything")


def test_a_stale_token_is_refused() -> None:
    clock = FakeClock()
    tokens = StreamTokens(clock)
    token = tokens.mint("CA1")
    clock.now += TOKEN_LIFE_S
    other = tokens.mint("CA2")
    clock.now += 0.1
    assert tokens.redeem(token) is None
    assert tokens.redeem(other) is not None


def test_a_made_up_token_is_refused() -> None:
    tokens = StreamTokens(FakeClock())
    tokens.mint("CA1")
    assert tokens.redeem("") is None
    assert tokens.redeem("x" * 32) is None


def test_a_webhook_sent_again_pushes_out_nobody() -> None:
    clock = FakeClock()
    tokens = StreamTokens(clock)
    waiting, same = tokens.mint("CA1"), tokens.mint("CA2")
    assert {tokens.mint("CA2") for _ in range(2 * MAX_TOKENS)} == {same}
    assert tokens.redeem(waiting) is not None
    assert tokens.redeem(same) is not None
    assert tokens.mint("CA2") != same  # used: a new one
    late = tokens.mint("CA3")
    clock.now += TOKEN_LIFE_S + 0.1
    assert tokens.mint("CA3") != late  # stale: a new one


def test_tokens_are_bounded_and_the_oldest_goes_first() -> None:
    tokens = StreamTokens(FakeClock())
    minted = [tokens.mint(None) for _ in range(MAX_TOKENS + 1)]
    assert len(set(minted)) == len(minted)
    assert tokens.redeem(minted[0]) is None
    assert all(tokens.redeem(token) for token in minted[1:])
